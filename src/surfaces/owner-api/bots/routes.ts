import type { Bot, Role } from '../../../domain/bots/bot.ts'
import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import type { Clock } from '../../../domain/clock.ts'
import type { BotId } from '../../../domain/ids.ts'
import { listResponse, nameCursors, pageOfAll, pageRequest } from '../../../rest/lists.ts'
import { ok } from '../../../rest/operation.ts'
import { botIdIn, readQuery } from '../../../rest/parameters.ts'
import { iso } from '../../../rest/schemas.ts'
import { type OwnerRoute, ownerRoute } from '../owner-operation.ts'
import { getBot, getBotStatus, listBots, putHosting, putPublicStatus } from './contract.ts'

export function botRoutes({
  bots: { access, ownStatus, settings },
  clock,
}: {
  bots: Pick<Bots, 'access' | 'ownStatus' | 'settings'>
  clock: Clock
}): OwnerRoute[] {
  async function statusOf(botId: BotId) {
    const found = await ownStatus.find(botId)
    if (found === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
    return found
  }
  const changed = async (bot: Bot, role: Role) => ok(record(bot, role, (await statusOf(bot.id)).state))

  return [
    ownerRoute(listBots, async ({ caller, query }) => {
      const listed = await ownStatus.list(caller.by.userId)
      const request = pageRequest(readQuery(listBots.query, query), nameCursors)
      const page = await pageOfAll(listed, ({ bot }) => placeOf(bot), request)
      return ok(listResponse(page, nameCursors, ({ bot, role, state }) => record(bot, role, state)))
    }),
    ownerRoute(getBot, async ({ caller, parameters }) => {
      const { bot, role } = await access.demand(caller.by.userId, botIdIn(parameters), 'see')
      return changed(bot, role)
    }),
    ownerRoute(getBotStatus, async ({ caller, parameters }) => {
      const { bot } = await access.demand(caller.by.userId, botIdIn(parameters), 'see')
      const { status } = await statusOf(bot.id)
      return ok({ ...status, checkedAt: clock.nowMs() })
    }),
    ownerRoute(putHosting, async ({ caller, parameters, body }) => {
      const { bot, role } = await access.demand(caller.by.userId, botIdIn(parameters), 'switch-hosting')
      const { enabled, location } = body
      const hosting = { hostingEnabled: enabled, ...(location !== undefined && { hostingLocation: location }) }
      return changed(await settings.changeHosting(bot.id, hosting, caller.by), role)
    }),
    ownerRoute(putPublicStatus, async ({ caller, parameters, body }) => {
      const { bot, role } = await access.demand(caller.by.userId, botIdIn(parameters), 'change-status-page')
      return changed(await settings.switchPublicStatus(bot.id, body.enabled, caller.by), role)
    }),
  ]
}

/** Returns the bot's cursor. Cursors sort by the time at which the bots were created. */
function placeOf({ createdAtMs, id }: Bot): string {
  return `${String(createdAtMs).padStart(15, '0')}.${id}`
}

function record({ ownerId: _, createdAtMs, ...bot }: Bot, role: Role, state: BotState) {
  return { ...bot, role, state, createdAt: iso(createdAtMs) }
}
