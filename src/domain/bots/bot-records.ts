import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { BotId, ChatPlatformId, UserId } from '../ids-and-secrets.ts'
import { type AgePlace, allOf, containsText, type ListPage, type PageRequest, pageOf } from '../list-page.ts'
import { isPut, type PutOutcome } from '../put-outcome.ts'
import {
  type Bot,
  type BotStore,
  type BotSwitches,
  type ChangedBot,
  type Collaborator,
  type HostingLocation,
  newBotDefaults,
  type PutCollaboratorOutcome,
  type StoredBotChange,
} from './bot.ts'
import { type Actor, botAuditEntry } from './bot-access.ts'
import type { DiscardOfDeleted } from './deleted-bots.ts'
import { BotRefusal, parseAll, parseAvatar, parseCapabilities, parseName } from './record-rules.ts'
import { type BotState, botState } from './status/bot-status.ts'
import { type GatewaySnapshot, isFresh, type Snapshots } from './status/snapshots.ts'
import type { StatusMeter } from './status/status-meter.ts'

/** The request’s schema checks plan and chat-platform ID. Omitted fields keep their values; `null` clears a field. */
export interface BotChange {
  ownerId: UserId
  name: string
  chatPlatformId: ChatPlatformId
  avatar?: string | null | undefined
  plan?: string | null | undefined
  hostingEnabled?: boolean | null | undefined
  hostingLocation?: HostingLocation | null | undefined
  publicStatus?: boolean | null | undefined
}

/** Changes to bots' records, settings and collaborators. The caller checks permissions. `announce` tells all nodes. */
export function createBotRecords(parts: {
  bots: BotStore
  snapshots: Snapshots
  discardOfDeleted: DiscardOfDeleted
  meter: StatusMeter
  announce: (botId: BotId) => void
  audit: Audit
  clock: Clock
}) {
  const { bots: store, snapshots, discardOfDeleted, meter, announce, audit, clock } = parts

  /** Called after a deletion is stored: the bot has no status and receives no webhooks any more. */
  function applyRemoval(id: BotId): void {
    meter.removed(id)
    announce(id)
  }

  async function changeSwitches(
    botId: BotId,
    switches: BotSwitches,
    by: Actor,
    detailOf: (changed: Bot) => Record<string, string>,
  ): Promise<Bot> {
    const recording = audit.recording((changed: ChangedBot | undefined) =>
      changed?.kind === 'changed' ? botAuditEntry('bot-changed', botId, by, detailOf(changed.bot)) : undefined,
    )
    const outcome = await store.changeSwitches(botId, switches, clock.nowMs(), recording)
    if (outcome === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
    if (outcome.kind === 'unchanged') return outcome.bot
    meter.changed(outcome.bot, outcome.before.hostingEnabled, clock.nowMs())
    announce(botId)
    return outcome.bot
  }

  return {
    applyRemoval,

    /**
     * Removes a deleted bot's events before its ID is reused.
     *
     * @throws BotRefusal with every validation error in the change; `owner-unknown`, `chat-platform-id-taken`.
     */
    async put(id: BotId, change: BotChange): Promise<{ outcome: PutOutcome; bot: Bot }> {
      const stored = parseBotChange(change)
      await discardOfDeleted(id, 'remove')
      const outcome = await store.putBot(id, stored, clock.nowMs())
      if (!('bot' in outcome)) throw new BotRefusal(outcome.kind, { detail: `bot ${id}` })
      if (outcome.kind === 'unchanged') return { outcome: outcome.kind, bot: outcome.bot }
      const hostedBefore = outcome.kind === 'changed' ? outcome.before.hostingEnabled : undefined
      meter.changed(outcome.bot, hostedBefore, clock.nowMs())
      announce(id)
      return { outcome: outcome.kind, bot: outcome.bot }
    },

    find: (id: BotId) => store.findBot(id),

    async remove(id: BotId): Promise<boolean> {
      const removed = await store.removeBot(id, clock.nowMs())
      if (removed) applyRemoval(id)
      return removed
    },

    /** @throws BotRefusal `bot-unknown`, like `switchPublicStatus`. */
    changeHosting: (botId: BotId, hosting: Pick<BotSwitches, 'hostingEnabled' | 'hostingLocation'>, by: Actor) =>
      changeSwitches(botId, hosting, by, ({ hostingEnabled, hostingLocation }) => {
        return { hosting: `${hostingEnabled ? 'on' : 'off'}${hostingLocation === null ? '' : `, ${hostingLocation}`}` }
      }),

    switchPublicStatus: (botId: BotId, open: boolean, by: Actor) =>
      changeSwitches(botId, { publicStatus: open }, by, ({ publicStatus }) => {
        return { status: publicStatus ? 'public' : 'not public' }
      }),

    /**
     * @param by `undefined` if the operator makes the change, whose calls are audited elsewhere.
     * @throws BotRefusal with every validation error; `bot-unknown`, `user-unknown`, `user-is-owner`,
     * `collaborators-too-many`.
     */
    async putCollaborator(botId: BotId, collaborator: Collaborator, by?: Actor): Promise<PutOutcome> {
      const capabilities = parseAll((check) => check(parseCapabilities(collaborator.capabilities)))
      const { userId, role } = collaborator
      const detail = { coworker: userId, role, capabilities: capabilities.join(' ') }
      const recording =
        by &&
        audit.recording<PutCollaboratorOutcome>((put) =>
          put === 'created' || put === 'changed' ? botAuditEntry('coworker-put', botId, by, detail) : undefined,
        )
      const outcome = await store.putCollaborator(botId, { ...collaborator, capabilities }, recording)
      if (isPut(outcome)) return outcome
      throw new BotRefusal(outcome, { detail: `bot ${botId}, user ${userId}` })
    },

    /** @param by as in {@link putCollaborator}. */
    removeCollaborator(botId: BotId, userId: UserId, by?: Actor): Promise<boolean> {
      const recording =
        by && audit.recordingOf<boolean>(true, botAuditEntry('coworker-removed', botId, by, { coworker: userId }))
      return store.removeCollaborator(botId, userId, recording)
    },

    findCollaborator: (botId: BotId, userId: UserId) => store.findCollaborator(botId, userId),
    listCollaborators: (botId: BotId) => store.listCollaborators(botId),

    /** Removes duplicates and keeps the order. Throws BotRefusal `bot-unknown`. */
    async putGuilds(botId: BotId, guildIds: readonly string[]): Promise<'changed' | 'unchanged'> {
      const outcome = await store.putGuilds(botId, [...new Set(guildIds)])
      if (outcome === 'bot-unknown') throw new BotRefusal(outcome, { detail: `bot ${botId}` })
      return outcome
    },

    findGuilds: (botId: BotId) => store.findGuilds(botId),

    /** For the operator, newest first. A page may be short even if it isn't the last one; see {@link pageOf}. */
    page(
      { nameContains, state, runtimeConnected, createdSinceMs, ...values }: BotFilter,
      request: PageRequest<AgePlace>,
    ): Promise<ListPage<BotWithState, AgePlace>> {
      const nowMs = clock.nowMs()
      return pageOf(request, {
        read: async (batch) => {
          // Includes heartbeats that aren't stored yet, which a filter in the store would miss.
          const over = snapshots.overlay()
          const listed = await store.listBots(values, { ...batch, createdSinceMs })
          return listed.map(({ bot, snapshot: stored }) => withState(bot, over(bot.id, stored), nowMs))
        },
        placeOf: ({ bot: { createdAtMs, id } }) => ({ createdAtMs, id }),
        matches: allOf(
          nameContains !== undefined && (({ bot }: BotWithState) => containsText(bot.name, nameContains)),
          state !== undefined && ((listed: BotWithState) => listed.state === state),
          runtimeConnected !== undefined && ((listed: BotWithState) => listed.runtimeConnected === runtimeConnected),
        ),
      })
    },
  }
}

function parseBotChange(change: BotChange): StoredBotChange {
  const { avatar, plan, hostingEnabled, hostingLocation, publicStatus } = change
  return parseAll((take) => {
    const stored: StoredBotChange = {
      ownerId: change.ownerId,
      name: take(parseName(change.name)),
      chatPlatformId: change.chatPlatformId,
    }
    if (avatar !== undefined) stored.avatar = avatar === null ? null : take(parseAvatar(avatar))
    if (plan !== undefined) stored.plan = plan ?? newBotDefaults.plan
    if (hostingEnabled !== undefined) stored.hostingEnabled = hostingEnabled ?? newBotDefaults.hostingEnabled
    if (hostingLocation !== undefined) stored.hostingLocation = hostingLocation
    if (publicStatus !== undefined) stored.publicStatus = publicStatus ?? newBotDefaults.publicStatus
    return stored
  })
}

interface BotFilter {
  ownerId?: UserId | undefined
  chatPlatformId?: ChatPlatformId | undefined
  nameContains?: string | undefined
  state?: BotState | undefined
  runtimeConnected?: boolean | undefined
  createdSinceMs?: number | undefined
}

interface BotWithState {
  bot: Bot
  state: BotState
  /** See {@link isFresh}. */
  runtimeConnected: boolean
}

function withState(bot: Bot, snapshot: GatewaySnapshot | undefined, nowMs: number): BotWithState {
  return {
    bot,
    state: botState(bot, snapshot, nowMs),
    runtimeConnected: snapshot !== undefined && isFresh(snapshot, nowMs),
  }
}
