import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { BotId } from '../ids.ts'
import type { Bot, BotStore, BotSwitches } from './bot.ts'
import { type Actor, botAuditEntry } from './bot-access.ts'
import { BotRefusal } from './bot-refusal.ts'
import type { StatusMeter } from './status/status-meter.ts'

/**
 * Settings that a bot's owner and collaborators change themselves. The caller checks permissions.
 *
 * @param parts.announce notifies this node and the other nodes that a bot changed.
 */
export function createBotSettings(parts: {
  bots: BotStore
  audit: Audit
  clock: Clock
  meter: StatusMeter
  announce: (botId: BotId) => void
}) {
  const { bots: store, audit, clock, meter, announce } = parts

  async function change(
    botId: BotId,
    switches: BotSwitches,
    by: Actor,
    detailOf: (changed: Bot) => Record<string, string>,
  ): Promise<Bot> {
    const outcome = await store.changeSwitches(
      botId,
      switches,
      clock.nowMs(),
      audit.recording((changed) =>
        changed?.kind === 'changed' ? botAuditEntry('bot-changed', botId, by, detailOf(changed.bot)) : undefined,
      ),
    )
    if (outcome === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
    if (outcome.kind === 'unchanged') return outcome.bot
    meter.changed(outcome.bot, outcome.before.hostingEnabled, clock.nowMs())
    announce(botId)
    return outcome.bot
  }

  return {
    /** @throws BotRefusal `bot-unknown`, like `switchPublicStatus`. */
    changeHosting: (botId: BotId, hosting: Pick<BotSwitches, 'hostingEnabled' | 'hostingLocation'>, by: Actor) =>
      change(botId, hosting, by, ({ hostingEnabled, hostingLocation }) => {
        return { hosting: `${hostingEnabled ? 'on' : 'off'}${hostingLocation === null ? '' : `, ${hostingLocation}`}` }
      }),

    switchPublicStatus: (botId: BotId, open: boolean, by: Actor) =>
      change(botId, { publicStatus: open }, by, ({ publicStatus }) => {
        return { status: publicStatus ? 'public' : 'not public' }
      }),
  }
}
