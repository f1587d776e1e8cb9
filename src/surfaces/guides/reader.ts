import type { Applications } from '../../domain/applications/applications.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { UserId } from '../../domain/ids.ts'

export interface ReaderServices {
  applications: Pick<Applications, 'owned'>
  bots: Pick<Bots, 'ownStatus' | 'flows'>
}

/** A signed-in reader's newest application and newest bot. Never contains a secret. */
export interface Reader {
  application: { name: string; clientId: string } | undefined
  bot: { name: string; id: string; path: string | undefined } | undefined
}

export async function readerOf({ applications, bots }: ReaderServices, userId: UserId): Promise<Reader> {
  const [[application], listed] = await Promise.all([applications.owned.list(userId), bots.ownStatus.list(userId)])
  const bot = listed.at(-1)?.bot
  const flows = bot === undefined ? [] : await bots.flows.list(bot.id)
  const webhooks = flows.flatMap((flow) => flow.webhook ?? [])
  // Prefer a webhook that accepts the guides' example requests unchanged.
  const open = webhooks.find(({ requiresKey, signature }) => !requiresKey && signature === null)
  return { application, bot: bot && { name: bot.name, id: bot.id, path: (open ?? webhooks[0])?.path } }
}
