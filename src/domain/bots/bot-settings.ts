import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { BotId, UserId } from '../ids.ts'
import { isPut, type PutOutcome } from '../put-outcome.ts'
import type { Bot, BotStore, BotSwitches, Collaborator } from './bot.ts'
import { type Actor, botAuditEntry } from './bot-access.ts'
import { BotRefusal } from './bot-refusal.ts'
import { parseAll, parseCapabilities } from './record-rules.ts'
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

    coworkers: (botId: BotId) => store.listCollaborators(botId),

    /**
     * @throws BotRefusal `capability-malformed`; `bot-unknown`, `user-unknown`, `user-is-owner`,
     * `collaborators-too-many`.
     */
    async putCollaborator(botId: BotId, collaborator: Collaborator, by: Actor): Promise<PutOutcome> {
      const capabilities = parseAll((check) => check(parseCapabilities(collaborator.capabilities)))
      const { userId, role } = collaborator
      const outcome = await store.putCollaborator(
        botId,
        { ...collaborator, capabilities },
        audit.recording((put) =>
          put === 'created' || put === 'changed'
            ? botAuditEntry('coworker-put', botId, by, { coworker: userId, role, capabilities: capabilities.join(' ') })
            : undefined,
        ),
      )
      if (isPut(outcome)) return outcome
      throw new BotRefusal(outcome, { detail: `bot ${botId}, user ${userId}` })
    },

    removeCollaborator: (botId: BotId, userId: UserId, by: Actor) =>
      store.removeCollaborator(
        botId,
        userId,
        audit.recording((removed) =>
          removed ? botAuditEntry('coworker-removed', botId, by, { coworker: userId }) : undefined,
        ),
      ),
  }
}
