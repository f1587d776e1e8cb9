import type { Applications } from '../../domain/applications/applications.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { BotId, UserId } from '../../domain/ids.ts'
import { eventIdMaxCharacters, siteFoundMax } from '../../domain/limits/limits.ts'
import type { DeliveryList } from '../../domain/webhooks/delivery-list.ts'
import { botParts, type Sites } from '../../pages/places.ts'
import { type Hit, ranked, searchWords } from './hits.ts'
import { commonPages, type Owned, ownObjects, partsOfObjects } from './own-pages.ts'

export interface SearchServices {
  applications: Pick<Applications, 'owned'>
  bots: Pick<Bots, 'ownStatus' | 'flows'>
  deliveryList: DeliveryList
  /** Searches the guides. Returns the best sections, best first. Paths are on the portal. */
  searchGuides(search: string): Promise<readonly { title: string; section: string; path: string }[]>
}

export interface Found {
  hits: readonly Hit[]
  /** Whether more pages match than are returned. */
  more: boolean
}

/** Maximum number of the user's applications, and of their bots, listed while there is no search text. */
const shownFirst = 5

/**
 * Returns the user's pages that match, best first, up to {@link siteFoundMax}. Without a search text, returns the most
 * useful pages.
 */
export async function find(services: SearchServices, userId: UserId, search: string, sites: Sites): Promise<Found> {
  const owned = await ownedBy(services, userId)
  const words = searchWords(search)
  if (words.length === 0) return { hits: firstPages(owned, sites), more: false }
  const [event, guides] = await Promise.all([
    eventHit(services, userId, owned, search, sites),
    services.searchGuides(search),
  ])
  const own = ranked([...ownObjects(owned, sites), ...commonPages(sites), ...partsOfObjects(owned, sites)], words)
  const guideHits = guides.map(({ title, section, path }): Hit => {
    const named = section === '' ? { title, where: [] } : { title: section, where: [title] }
    return { kind: 'guide', ...named, href: `${sites.portal}${path}`, alsoKnownAs: [] }
  })
  const shown = own.slice(0, siteFoundMax - guideHits.length - event.length)
  return { hits: [...event, ...shown, ...guideHits], more: shown.length < own.length }
}

async function ownedBy({ applications, bots }: SearchServices, userId: UserId): Promise<Owned> {
  const [ownApplications, ownBots, flows] = await Promise.all([
    applications.owned.list(userId),
    bots.ownStatus.list(userId),
    bots.flows.namesOfUser(userId),
  ])
  return { applications: ownApplications, bots: ownBots, flows }
}

function firstPages({ applications, bots }: Owned, sites: Sites): Hit[] {
  const few = { applications: applications.slice(0, shownFirst), bots: bots.slice(0, shownFirst), flows: [] }
  return [...ownObjects(few, sites), ...commonPages(sites)].slice(0, siteFoundMax)
}

async function eventHit(
  { deliveryList }: SearchServices,
  userId: UserId,
  { bots }: Owned,
  search: string,
  { base }: Sites,
): Promise<Hit[]> {
  if (search.length > eventIdMaxCharacters || !search.startsWith('ev')) return []
  const names = new Map(bots.map(({ bot }): [BotId, string] => [bot.id, bot.name]))
  const botId = await deliveryList.botOf(userId, [...names.keys()], search)
  if (botId === undefined) return []
  const where = [names.get(botId) ?? '', botParts.deliveries.name]
  const href = `${base}/bots/${botId}/deliveries/${search}`
  return [{ kind: 'event', title: search, where, href, alsoKnownAs: [] }]
}
