import type { Applications, OwnedApplication } from '../../domain/applications/applications.ts'
import { type BotAction, mayDo } from '../../domain/bots/bot-access.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { FlowName } from '../../domain/bots/flows/flow.ts'
import type { ListedBotState } from '../../domain/bots/status/status-board.ts'
import type { BotId, UserId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { EventAccess } from '../../domain/webhooks/event-access.ts'
import { type Text, t, type Words } from '../../pages/html.ts'
import { accountParts, applicationParts, botParts, type Sites } from '../../pages/places.ts'
import { type Hit, ranked, searchWords } from './hits.ts'
import { synonymsOfApplications, synonymsOfPages } from './words.ts'

export interface SearchServices {
  applications: Pick<Applications, 'owned'>
  bots: Pick<Bots, 'ownStatus' | 'flows'>
  eventAccess: EventAccess
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
 * Returns the user's pages and actions that match, best first, up to {@link siteFoundMax}. Without a search text,
 * returns the most useful pages.
 *
 * @param recent IDs of bots and applications opened last, the latest first. They come first among equals.
 */
export async function find(
  services: SearchServices,
  userId: UserId,
  { search, recent }: { search: string; recent: readonly string[] },
  sites: Sites,
): Promise<Found> {
  const owned = await ownedBy(services, userId, recent)
  const words = searchWords(search)
  if (words.length === 0) return { hits: firstPages(owned, recent, sites), more: false }
  const [event, guides] = await Promise.all([
    eventHit(services, userId, owned, search, sites),
    services.searchGuides(search),
  ])
  const own = ranked(
    [...ownObjects(owned, sites), ...commonPages(sites), ...partsOfObjects(owned, sites), ...actions(owned, sites)],
    words,
  )
  const guideHits = guides.map(({ title, section, path }): Hit => {
    const named = section === '' ? { title, where: [] } : { title: section, where: [title] }
    return { kind: 'guide', ...named, href: `${sites.portal}${path}`, alsoKnownAs: [] }
  })
  const shown = own.slice(0, limits.siteFoundMax - guideHits.length - event.length)
  return { hits: [...event, ...shown, ...guideHits], more: shown.length < own.length }
}

async function ownedBy(
  { applications, bots }: SearchServices,
  userId: UserId,
  recent: readonly string[],
): Promise<Owned> {
  const [ownApplications, ownBots, flows] = await Promise.all([
    applications.owned.list(userId),
    bots.ownStatus.list(userId),
    bots.flows.namesOfUser(userId),
  ])
  return {
    applications: recentFirst(ownApplications, ({ id }) => id, recent),
    bots: recentFirst(ownBots, ({ bot }) => bot.id, recent),
    flows,
  }
}

function firstPages({ applications, bots }: Owned, recent: readonly string[], sites: Sites): Hit[] {
  const few = { applications: applications.slice(0, shownFirst), bots: bots.slice(0, shownFirst), flows: [] }
  const objects = recentFirst(ownObjects(few, sites), ({ href }) => href.split('/').at(-1) as string, recent)
  return [...objects, ...commonPages(sites)].slice(0, limits.siteFoundMax)
}

function recentFirst<Each>(list: readonly Each[], idOf: (each: Each) => string, recent: readonly string[]): Each[] {
  const place = (each: Each) => (recent.includes(idOf(each)) ? recent.indexOf(idOf(each)) : recent.length)
  return list.toSorted((one, other) => place(one) - place(other))
}

async function eventHit(
  { eventAccess }: SearchServices,
  userId: UserId,
  { bots }: Owned,
  search: string,
  { base }: Sites,
): Promise<Hit[]> {
  if (search.length > limits.eventIdMaxCharacters || !search.startsWith('ev')) return []
  const names = new Map(bots.map(({ bot }): [BotId, string] => [bot.id, bot.name]))
  const botId = await eventAccess.botOf(userId, [...names.keys()], search)
  if (botId === undefined) return []
  const where = [names.get(botId) ?? '', botParts.deliveries.name]
  const href = `${base}/bots/${botId}/deliveries/${search}`
  return [{ kind: 'event', title: search, where, href, alsoKnownAs: [] }]
}

interface Owned {
  applications: readonly OwnedApplication[]
  bots: readonly ListedBotState[]
  flows: readonly FlowName[]
}

function ownObjects({ applications, bots, flows }: Owned, { base, portal }: Sites): Hit[] {
  const botNames = new Map(bots.map(({ bot }) => [bot.id, bot.name]))
  return [
    ...bots.map(({ bot }): Hit => {
      const alsoKnownAs = [bot.id, bot.chatPlatformId]
      return { kind: 'bot', title: bot.name, where: [t`Bots`], href: `${base}/bots/${bot.id}`, alsoKnownAs }
    }),
    ...applications.map(({ id, name, clientId, websiteUrl }): Hit => {
      const alsoKnownAs = [id, clientId, websiteUrl, synonymsOfApplications]
      return { kind: 'application', title: name, where: [t`Applications`], href: `${portal}/apps/${id}`, alsoKnownAs }
    }),
    ...flows.flatMap(({ botId, id, name }): Hit[] => {
      const bot = botNames.get(botId)
      const href = `${base}/bots/${botId}/flows/${id}`
      return bot === undefined ? [] : [{ kind: 'flow', title: name, where: [bot], href, alsoKnownAs: [id] }]
    }),
  ]
}

function actions({ applications, bots }: Owned, { base, portal }: Sites): Hit[] {
  return [
    ...bots.flatMap((each) => actionsOnBot(each, base)),
    ...applications.flatMap((each) => actionsOnApplication(each, portal)),
  ]
}

/** Returns the pages about the user's applications and bots, except their overviews. */
function partsOfObjects({ applications, bots }: Owned, { base, portal }: Sites): Hit[] {
  return [
    ...bots.flatMap(({ bot, role }) =>
      Object.values(botParts)
        // Uses only the role, because capabilities don't change which pages a user sees.
        .filter(
          ({ path, for: action }) => path !== '' && (action === undefined || mayDo({ role, capabilities: [] }, action)),
        )
        .map(({ name, path }) => pageHit(name, [bot.name], `${base}/bots/${bot.id}`, path)),
    ),
    ...applications.flatMap(({ id, name: application }) =>
      Object.values(applicationParts)
        .filter(({ path }) => path !== '')
        .map(({ name, path }) => pageHit(name, [application], `${portal}/apps/${id}`, path)),
    ),
  ]
}

function commonPages({ base, portal }: Sites): Hit[] {
  const { security } = accountParts
  const inAccount = (name: Text, path: string) => pageHit(name, [t`Account`], base, `/account${path}`)
  const inSecurity = (name: Text, path: string) => pageHit(name, [t`Account`, security.name], base, `/account${path}`)
  return [
    ...Object.values(accountParts).map(({ name, href }) => pageHit(name, [t`Account`], base, href)),
    pageHit(t`Bots`, [], base, '/bots'),
    pageHit(t`Applications`, [], portal, '/'),
    { ...pageHit(t`Register application`, [t`Applications`], portal, '/apps/new'), kind: 'action' },
    pageHit(t`API reference`, [], portal, '/reference'),
    pageHit(t`Guides`, [], portal, '/guides'),
    pageHit(t`Packages`, [], portal, '/packages'),
    pageHit(t`Keyboard shortcuts`, [], '', '/keys'),
    inAccount(t`Change your name`, '/name'),
    inAccount(t`Change your email address`, '/email'),
    inSecurity(t`Password`, '/password'),
    inSecurity(t`PIN`, '/pin'),
    inSecurity(t`Passkeys`, '/passkeys'),
    inSecurity(t`Linked accounts`, '/linked'),
    inSecurity(t`Personal access tokens`, '/tokens'),
    inAccount(t`Event subscriptions`, '/subscriptions'),
    { ...inAccount(t`Add subscription`, '/subscriptions/new'), kind: 'action' },
  ]
}

/** @param start URL of the origin, application or bot to which `path` is relative. */
function pageHit(title: Text, where: readonly Text[], start: string, path: string): Hit {
  return { kind: 'page', title, where, href: `${start}${path}`, alsoKnownAs: [synonymsOfPages[path] ?? ''] }
}

interface ObjectAction {
  path: string
  named: (object: Text) => Words
  /** What {@link named} returns without an object. */
  verb: Words
  synonyms: Words
}

function action(path: string, named: (object: Text) => Words, synonyms: Words): ObjectAction {
  return { path, named, verb: named(''), synonyms }
}

const botActions = {
  replay: action(
    '/dead-letters/replay',
    (bot) => t`Replay dead letters of ${bot}`,
    t.in('search synonyms')`retry resend redeliver failed webhooks`,
  ),
  'change-runtimes': action(
    '/runtimes#new',
    (bot) => t`Add runtime to ${bot}`,
    t.in('search synonyms')`create new key connect host`,
  ),
  'change-coworkers': action(
    '/invitations/new',
    (bot) => t`Invite collaborator to ${bot}`,
    t.in('search synonyms')`add member team person user access`,
  ),
  'change-status-page': action(
    '/settings#public-status',
    (bot) => t`Publish status page of ${bot}`,
    t.in('search synonyms')`make public share badge uptime`,
  ),
} satisfies Partial<Record<BotAction, ObjectAction>>

const applicationActions = [
  action(
    '/secrets',
    (application) => t`New secret for ${application}`,
    t.in('search synonyms')`create add second change client secret without downtime`,
  ),
  action(
    '/secret',
    (application) => t`Rotate secret of ${application}`,
    t.in('search synonyms')`change replace reset client secret leaked`,
  ),
  action('/deletion', (application) => t`Delete application ${application}`, t.in('search synonyms')`remove app`),
]

/** Returns what the user may do with the bot. Uses only the role, as the list of bots knows no capabilities. */
function actionsOnBot({ bot, role }: ListedBotState, base: string): Hit[] {
  return (Object.keys(botActions) as (keyof typeof botActions)[])
    .filter((each) => mayDo({ role, capabilities: [] }, each) && !(each === 'change-status-page' && bot.publicStatus))
    .map((each) => hitOf(botActions[each], bot.name, `${base}/bots/${bot.id}`))
}

function actionsOnApplication({ id, name, secrets }: OwnedApplication, portal: string): Hit[] {
  return applicationActions
    .filter(({ path }) => path !== '/secrets' || secrets.length < limits.clientSecretsMax)
    .map((each) => hitOf(each, name, `${portal}/apps/${id}`))
}

function hitOf({ path, named, verb, synonyms }: ObjectAction, name: string, start: string): Hit {
  const href = `${start}${path}`
  return { kind: 'action', title: named(name), verb, where: [], href, alsoKnownAs: [name, synonyms] }
}
