import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { mayDo } from '../../domain/bots/bot-access.ts'
import type { FlowName } from '../../domain/bots/flows/flow.ts'
import type { ListedBotState } from '../../domain/bots/status/status-board.ts'
import type { Text } from '../../pages/html.ts'
import { accountParts, applicationParts, botParts, type Sites } from '../../pages/places.ts'
import { frameWords } from '../../pages/words/frame.ts'
import type { Hit } from './hits.ts'
import { pageNames as names } from './words.ts'

/** The applications, bots and flows of a user that a search covers. */
export interface Owned {
  applications: readonly OwnedApplication[]
  bots: readonly ListedBotState[]
  flows: readonly FlowName[]
}

/** Returns the user's applications, bots and flows. */
export function ownObjects({ applications, bots, flows }: Owned, { base, portal }: Sites): Hit[] {
  const botNames = new Map(bots.map(({ bot }) => [bot.id, bot.name]))
  return [
    ...bots.map(({ bot }): Hit => {
      const alsoKnownAs = [bot.id, bot.chatPlatformId]
      return { kind: 'bot', title: bot.name, where: [frameWords.bots], href: `${base}/bots/${bot.id}`, alsoKnownAs }
    }),
    ...applications.map(({ id, name, clientId, websiteUrl }): Hit => {
      const alsoKnownAs = [id, clientId, websiteUrl]
      return {
        kind: 'application',
        title: name,
        where: [frameWords.applications],
        href: `${portal}/apps/${id}`,
        alsoKnownAs,
      }
    }),
    ...flows.flatMap(({ botId, id, name }): Hit[] => {
      const bot = botNames.get(botId)
      const href = `${base}/bots/${botId}/flows/${id}`
      return bot === undefined ? [] : [{ kind: 'flow', title: name, where: [bot], href, alsoKnownAs: [id] }]
    }),
  ]
}

/** Returns the pages about the user's applications and bots, except their overviews. */
export function partsOfObjects({ applications, bots }: Owned, { base, portal }: Sites): Hit[] {
  return [
    ...bots.flatMap(({ bot, role }) =>
      Object.values(botParts)
        // Uses only the role, because capabilities don't change which pages a user sees.
        .filter(
          ({ path, for: action }) => path !== '' && (action === undefined || mayDo({ role, capabilities: [] }, action)),
        )
        .map(({ name, path }) => pageHit(name, [bot.name], `${base}/bots/${bot.id}${path}`)),
    ),
    ...applications.flatMap(({ id, name: application }) =>
      Object.values(applicationParts)
        .filter(({ path }) => path !== '')
        .map(({ name, path }) => pageHit(name, [application], `${portal}/apps/${id}${path}`)),
    ),
  ]
}

/** Returns the pages that every user has. */
export function commonPages({ base, portal }: Sites): Hit[] {
  const { security } = accountParts
  const inAccount = (name: Text, path: string) => pageHit(name, [frameWords.account], `${base}/account${path}`)
  const inSecurity = (name: Text, path: string) =>
    pageHit(name, [frameWords.account, security.name], `${base}/account${path}`)
  return [
    ...Object.values(accountParts).map(({ name, href }) => pageHit(name, [frameWords.account], `${base}${href}`)),
    pageHit(frameWords.bots, [], `${base}/bots`),
    pageHit(frameWords.applications, [], `${portal}/`),
    pageHit(names.newApplication, [frameWords.applications], `${portal}/apps/new`),
    pageHit(frameWords.reference, [], `${portal}/reference`),
    pageHit(frameWords.guides, [], `${portal}/guides`),
    pageHit(frameWords.packages, [], `${portal}/packages`),
    inAccount(names.name, '/name'),
    inAccount(names.email, '/email'),
    inSecurity(names.password, '/password'),
    inSecurity(names.pin, '/pin'),
    inSecurity(names.passkeys, '/passkeys'),
    inSecurity(names.linked, '/linked'),
    inSecurity(names.tokens, '/tokens'),
    inAccount(names.subscriptions, '/subscriptions'),
  ]
}

function pageHit(title: Text, where: readonly Text[], href: string): Hit {
  return { kind: 'page', title, where, href, alsoKnownAs: [] }
}
