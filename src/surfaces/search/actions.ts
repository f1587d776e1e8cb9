import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { type BotAction, mayDo } from '../../domain/bots/bot-access.ts'
import type { ListedBotState } from '../../domain/bots/status/status-board.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type Text, t, type Words } from '../../pages/html.ts'
import type { Hit } from './hits.ts'

interface ObjectAction {
  /** The page that begins the action, relative to the object. */
  path: string
  named: (object: Text) => Words
  /** What {@link named} returns without an object. */
  verb: Words
  synonyms: Words
}

function action(path: string, named: (object: Text) => Words, synonyms: Words): ObjectAction {
  return { path, named, verb: named(''), synonyms }
}

const publish = {
  ...action(
    '/settings#public-status',
    (bot) => t`Publish status page of ${bot}`,
    t.in('search synonyms')`make public share badge uptime`,
  ),
  for: 'change-status-page',
} as const
const botActions: readonly (ObjectAction & { for: BotAction })[] = [
  {
    ...action(
      '/dead-letters/replay',
      (bot) => t`Replay dead letters of ${bot}`,
      t.in('search synonyms')`retry resend redeliver failed webhooks`,
    ),
    for: 'replay',
  },
  {
    ...action('/runtimes#new', (bot) => t`Add runtime to ${bot}`, t.in('search synonyms')`create new key connect host`),
    for: 'change-runtimes',
  },
  {
    ...action(
      '/invitations/new',
      (bot) => t`Invite collaborator to ${bot}`,
      t.in('search synonyms')`add member team person user access`,
    ),
    for: 'change-coworkers',
  },
  publish,
]

const addSecret = action(
  '/secrets',
  (application) => t`New secret for ${application}`,
  t.in('search synonyms')`create add second change client secret without downtime`,
)
const rotateSecret = action(
  '/secret',
  (application) => t`Rotate secret of ${application}`,
  t.in('search synonyms')`change replace reset client secret leaked`,
)
const deleteApplication = action(
  '/deletion',
  (application) => t`Delete application ${application}`,
  t.in('search synonyms')`remove app`,
)

/** Returns what the user may do with the bot. Uses only the role, as the list of bots knows no capabilities. */
export function actionsOnBot({ bot, role }: ListedBotState, base: string): Hit[] {
  return botActions
    .filter((each) => mayDo({ role, capabilities: [] }, each.for) && !(each === publish && bot.publicStatus))
    .map((each) => hitOf(each, bot.name, `${base}/bots/${bot.id}`))
}

export function actionsOnApplication({ id, name, secrets }: OwnedApplication, portal: string): Hit[] {
  const possible = [...(secrets.length < limits.clientSecretsMax ? [addSecret] : []), rotateSecret, deleteApplication]
  return possible.map((each) => hitOf(each, name, `${portal}/apps/${id}`))
}

function hitOf({ path, named, verb, synonyms }: ObjectAction, name: string, start: string): Hit {
  return {
    kind: 'action',
    title: named(name),
    verb,
    where: [],
    href: `${start}${path}`,
    alsoKnownAs: [name, synonyms],
  }
}
