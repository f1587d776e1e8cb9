import { attempts, type OnFault } from '../attempt.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { cutText } from '../cut-text.ts'
import type { Duty } from '../duty.ts'
import { type BotId, parseBotId, type RuntimeId, type UserId } from '../ids.ts'
import { botsListedMax, logEntriesKeptPerBot, logMessageMaxCharacters, userinfoLogsMax } from '../limits/limits.ts'
import type { Secrets } from '../secret.ts'
import type { Bot, Coworker, HostingLocation, Role } from './bot.ts'
import { BotAccess } from './bot-access.ts'
import { BotRefusal } from './bot-refusal.ts'
import { BotSettings } from './bot-settings.ts'
import { type BotStore, newBotDefaults, type StoredBotChange } from './bot-store.ts'
import type { FlowStore } from './flows/flow-store.ts'
import { Flows } from './flows/flows.ts'
import type { GatewaySnapshot, HeartbeatReport } from './flows/gateway-snapshot.ts'
import type { SnapshotStore } from './flows/snapshot-store.ts'
import { Snapshots } from './flows/snapshots.ts'
import type { InvitationStore } from './invitation-store.ts'
import { Invitations } from './invitations.ts'
import type { News, NodeNews } from './node-news.ts'
import {
  parseAll,
  parseAvatar,
  parseCapabilities,
  parseChatPlatform,
  parseGuildIds,
  parseLogMessage,
  parseName,
  parsePlan,
} from './record-rules.ts'
import { AssignmentChanges } from './runtimes/assignment-changes.ts'
import type { AuthenticatedRuntime, Hosting, LiveRuntimeKey, Runtime } from './runtimes/runtime.ts'
import type { RuntimeLogEntry } from './runtimes/runtime-log.ts'
import type { LogPage, NumberedLogEntry, RuntimeLogStore } from './runtimes/runtime-log-store.ts'
import type { RuntimeStore } from './runtimes/runtime-store.ts'
import { Runtimes } from './runtimes/runtimes.ts'
import { type BotState, type BotStatus, botState, botStatus } from './status/bot-status.ts'
import { type PublicBot, StatusBoard } from './status/status-board.ts'
import { StatusHistory } from './status/status-history.ts'
import type { StatusHistoryStore } from './status/status-history-store.ts'
import { parseNotice, type StatusNotice } from './status/status-notice.ts'
import type { StatusNoticeStore } from './status/status-notice-store.ts'

/** What is wanted of a bot. An absent member keeps what is stored, null clears it. */
export interface BotChange {
  ownerId: UserId
  name: string
  chatPlatformId: string
  avatar?: string | null | undefined
  plan?: string | null | undefined
  hostingEnabled?: boolean | null | undefined
  hostingLocation?: HostingLocation | null | undefined
  publicStatus?: boolean | null | undefined
}

/** A bot in the list of somebody who has a part in it. */
export interface ListedBotState {
  bot: Bot
  role: Role
  state: BotState
  /** When the last heartbeat was received; null: never. */
  reportedAtMs: number | null
}

export interface BotsParts {
  bots: BotStore
  flows: FlowStore
  invitations: InvitationStore
  runtimes: RuntimeStore
  runtimeLogs: RuntimeLogStore
  snapshots: SnapshotStore
  statusHistory: StatusHistoryStore
  statusNotices: StatusNoticeStore
  audit: Audit
  secrets: Secrets
  clock: Clock
  /** Of several nodes one makes days of the slots of all bots. */
  duty: Duty
  /** Of and to other nodes; undefined where this one is alone. */
  news?: NodeNews | undefined
  /** Told of failures that nobody waits for; what failed is tried again. */
  onFault: OnFault
}

/** Bots, who works on them, where they are, what runs on them, and whether they are online. */
export class Bots {
  /** Who may do what with which bot. */
  readonly access: BotAccess
  /** What its people change themselves. */
  readonly settings: BotSettings
  readonly invitations: Invitations
  readonly flows: Flows
  readonly runtimes: Runtimes
  /** How bots have been. */
  readonly history: StatusHistory
  readonly #bots: BotStore
  readonly #runtimeLogs: RuntimeLogStore
  readonly #snapshots: Snapshots
  #reports = 0
  readonly #statusNotices: StatusNoticeStore
  readonly #board: StatusBoard
  readonly #changes: AssignmentChanges
  readonly #clock: Clock
  readonly #stopFlushing: () => void
  readonly #onFault: OnFault
  readonly #stopNews: (() => void) | undefined

  constructor(parts: BotsParts) {
    const {
      bots,
      flows,
      invitations,
      runtimes,
      runtimeLogs,
      snapshots,
      statusHistory,
      statusNotices,
      audit,
      secrets,
      clock,
      duty,
      news,
      onFault,
    } = parts
    const changes = new AssignmentChanges(news)
    this.#changes = changes
    this.access = new BotAccess(bots)
    this.flows = new Flows({ store: flows, access: this.access, audit, secrets, clock, changes })
    this.invitations = new Invitations({ store: invitations, audit, secrets, clock })
    this.runtimes = new Runtimes({ store: runtimes, audit, secrets, clock, changes })
    this.settings = new BotSettings({
      store: bots,
      audit,
      clock,
      changed: (bot, before) => {
        this.history.meter.changed(bot, before.hostingEnabled, clock.nowMs())
        this.#changed(bot.id)
      },
    })
    this.#bots = bots
    this.#runtimeLogs = runtimeLogs
    this.#snapshots = new Snapshots(snapshots)
    this.#statusNotices = statusNotices
    this.history = new StatusHistory({ store: statusHistory, duty, clock, onFault })
    this.#board = new StatusBoard({ bots, snapshots: this.#snapshots, clock })
    this.#clock = clock
    this.#onFault = onFault
    this.#stopNews = news?.onNews((heard) => this.#hear(heard).catch((error) => onFault(error, 'acting on news')))
    this.#stopFlushing = clock.every(snapshots.behindMs, () => {
      if (this.#snapshots.isFlushing) return
      this.#snapshots.flush().catch((error) => onFault(error, 'storing heartbeats'))
    })
  }

  /**
   * Creates or changes a bot. The id of a deleted bot makes a new one.
   *
   * @throws BotRefusal with every fault of the change; `owner-unknown`, `chat-platform-id-taken`.
   */
  async putBot(id: BotId, change: BotChange): Promise<{ outcome: 'created' | 'changed'; bot: Bot }> {
    const outcome = await this.#bots.putBot(id, parseBotChange(change), this.#clock.nowMs())
    if (!('bot' in outcome)) throw new BotRefusal(outcome.kind, { detail: `bot ${id}` })
    const hostedBefore = outcome.kind === 'changed' ? outcome.before.hostingEnabled : undefined
    this.history.meter.changed(outcome.bot, hostedBefore, this.#clock.nowMs())
    this.#changed(id)
    return { outcome: outcome.kind, bot: outcome.bot }
  }

  bot(id: BotId): Promise<Bot | undefined> {
    return this.#bots.findBot(id)
  }

  /** The bots in which the user has any role, the oldest first, at most {@link botsListedMax}. */
  async listOfUser(userId: UserId): Promise<ListedBotState[]> {
    const listed = await this.#bots.listOfUser(userId, botsListedMax)
    const nowMs = this.#clock.nowMs()
    return listed.map(({ bot, role, snapshot: stored }) => {
      const snapshot = this.#snapshots.over(bot.id, stored)
      return { bot, role, state: botState(bot, snapshot, nowMs), reportedAtMs: snapshot?.reportedAtMs ?? null }
    })
  }

  /** The status for the bot's own people, who see it whether it is public or not. */
  async ownStatus(botId: BotId): Promise<Pick<PublicBot, 'status' | 'state'> | undefined> {
    const found = await this.#bots.findWhole(botId)
    if (found === undefined) return undefined
    const nowMs = this.#clock.nowMs()
    const snapshot = this.#snapshots.over(botId, found.snapshot)
    return { status: botStatus(found.bot, snapshot, nowMs), state: botState(found.bot, snapshot, nowMs) }
  }

  /** Deletes the bot: its status, its webhooks and its hosting end. False when there is none. */
  async removeBot(id: BotId): Promise<boolean> {
    const removed = await this.#bots.removeBot(id, this.#clock.nowMs())
    if (!removed) return false
    this.history.meter.removed(id)
    this.#changed(id)
    return true
  }

  /** @throws BotRefusal with every fault; `bot-unknown`, `user-unknown`, `user-is-owner`. */
  async putCoworker(botId: BotId, coworker: Coworker): Promise<'created' | 'changed'> {
    const capabilities = parseAll((take) => take(parseCapabilities(coworker.capabilities)))
    const outcome = await this.#bots.putCoworker(botId, { ...coworker, capabilities })
    if (outcome === 'created' || outcome === 'changed') return outcome
    throw new BotRefusal(outcome, { detail: `bot ${botId}, user ${coworker.userId}` })
  }

  /** Ends what the user may do on the bot. False when they were no coworker. */
  removeCoworker(botId: BotId, userId: UserId): Promise<boolean> {
    return this.#bots.removeCoworker(botId, userId)
  }

  coworker(botId: BotId, userId: UserId): Promise<Coworker | undefined> {
    return this.#bots.findCoworker(botId, userId)
  }

  /** @throws BotRefusal with every fault; `bot-unknown`. */
  async putGuilds(botId: BotId, guildIds: readonly string[]): Promise<void> {
    const parsed = parseAll((take) => take(parseGuildIds(guildIds)))
    if (!(await this.#bots.putGuilds(botId, parsed))) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
  }

  guilds(botId: BotId): Promise<readonly string[] | undefined> {
    return this.#bots.findGuilds(botId)
  }

  /**
   * Appends to the bots' runtime logs; entries of bots that do not exist are left out. Messages that are too
   * long are cut: what a bot logged must not be lost over its length.
   */
  async appendLogs(entries: readonly RuntimeLogEntry[]): Promise<void> {
    const cut = entries.map((entry) => ({ ...entry, message: cutText(entry.message, logMessageMaxCharacters) }))
    if (cut.length > 0) await this.#runtimeLogs.appendLogs(cut, logEntriesKeptPerBot)
  }

  /** As `appendLogs`, for one bot, by somebody who reads refusals. @throws BotRefusal with every fault; `bot-unknown`. */
  async writeLogs(botId: BotId, entries: readonly Omit<RuntimeLogEntry, 'botId'>[]): Promise<void> {
    parseAll((take) => {
      for (const { message } of entries) take(parseLogMessage(message))
    })
    if ((await this.#bots.findBot(botId)) === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
    await this.appendLogs(entries.map((entry) => ({ ...entry, botId })))
  }

  /** The runtime log entries of the bot that are wanted, newest first. */
  pageLogs(botId: BotId, page: LogPage): Promise<NumberedLogEntry[]> {
    return this.#runtimeLogs.pageLogs(botId, page)
  }

  /** The latest runtime log entries of the bot, newest first. */
  logs(botId: BotId): Promise<RuntimeLogEntry[]> {
    return this.#runtimeLogs.listLogs(botId, userinfoLogsMax)
  }

  authenticateRuntime(clearTextKey: string): Promise<AuthenticatedRuntime | undefined> {
    return this.runtimes.authenticate(clearTextKey)
  }

  /**
   * Which bots the runtime hosts now, as stored at this moment.
   *
   * @param wanted undefined: all that its key may host, and then nothing is refused.
   */
  async hostable(runtime: Runtime, wanted: readonly string[] | undefined): Promise<Hosting> {
    const asked = wanted === undefined ? runtime.botIds : [...new Set(wanted)]
    const allowed = runtime.botIds === null ? undefined : new Set<string>(runtime.botIds)
    // Looks up only well-formed IDs of bots that the key may host, however many the runtime names.
    const mayBe = asked?.filter((botId) => allowed?.has(botId) ?? parseBotId(botId) !== undefined)
    const stored =
      mayBe === undefined ? this.#bots.listAllForHosting(runtime.ownerId) : this.#bots.listForHosting(mayBe)
    const found = new Map((await stored).map((bot) => [bot.id as string, bot]))
    const hosting: Hosting = { bots: [], refused: [] }
    for (const botId of asked ?? found.keys()) {
      const bot = found.get(botId)
      const reason = refusalOf(botId, bot)
      if (reason === undefined && bot !== undefined) hosting.bots.push(bot.id)
      else if (wanted !== undefined && reason !== undefined) hosting.refused.push({ botId, reason })
    }
    return hosting

    function refusalOf(botId: string, bot: { ownerId: UserId; hostingEnabled: boolean } | undefined) {
      if (allowed !== undefined && !allowed.has(botId)) return 'not_allowed'
      if (bot === undefined) return 'unknown'
      if (runtime.ownerId !== null && bot.ownerId !== runtime.ownerId) return 'not_allowed'
      return bot.hostingEnabled ? undefined : 'hosting_off'
    }
  }

  /** Told of each bot that was put or removed, or whose flows were, at this node. Returns how to stop. */
  onAssignmentChange(listener: (botId: BotId) => void): () => void {
    return this.#changes.onBot(listener)
  }

  /**
   * Told which keys of a runtime are live after a change at this node, none when it was removed: connections
   * that another one opened have to end. Returns how to stop.
   */
  onRuntimeKeysChange(listener: (runtimeId: RuntimeId, keys: readonly LiveRuntimeKey[]) => void): () => void {
    return this.#changes.onRuntimeKeys(listener)
  }

  async #hear(heard: News | 'missed'): Promise<void> {
    if (heard === 'missed') {
      this.#changes.missed()
      return
    }
    if (heard.kind === 'runtime-keys') {
      const runtime = await this.runtimes.find(heard.runtimeId, 'operator')
      this.#changes.heardOfRuntimeKeys(heard.runtimeId, runtime?.keys ?? [])
      return
    }
    this.#board.changed(heard.botId)
    this.#changes.heardOfBot(heard.botId)
  }

  /** Told that changes at other nodes may have been missed, whatever they were. Returns how to stop. */
  onMissedChanges(listener: () => void): () => void {
    return this.#changes.onMissed(listener)
  }

  /** Takes heartbeats, received now. Nothing waits for the disk: they are stored behind. */
  recordHeartbeat(reports: readonly HeartbeatReport[]): void {
    const nowMs = this.#clock.nowMs()
    this.#reports += reports.length
    for (const report of reports) {
      this.#snapshots.record(report, nowMs)
      this.#board.reported(report.botId)
      this.history.meter.heartbeat(report.botId, report.ready, nowMs)
    }
  }

  /** How many times runtimes have told how a bot is, since the start of the process. */
  get reportsReceived(): number {
    return this.#reports
  }

  /** The runtime said goodbye for these bots: they are offline at once. Not for bots that another one hosts too. */
  leave(botIds: readonly BotId[]): void {
    const nowMs = this.#clock.nowMs()
    for (const botId of botIds) {
      this.#snapshots.leave(botId, nowMs)
      this.history.meter.left(botId, nowMs)
      this.#board.changed(botId)
    }
  }

  /**
   * Puts a notice on the bot's status page; a text with nothing in it clears it.
   *
   * @throws BotRefusal `bot-unknown`, `not-allowed`, `notice-too-long`.
   */
  async putStatusNotice(userId: UserId, botId: BotId, text: string): Promise<StatusNotice | null> {
    await this.access.demand(userId, botId, 'change-status-page')
    const line = parseAll((take) => take(parseNotice(text)))
    const notice = line === null ? null : { text: line, setAtMs: this.#clock.nowMs() }
    const put = await this.#statusNotices.putNotice(botId, notice)
    if (!put) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
    this.#board.changed(botId)
    return notice
  }

  statusNotice(botId: BotId): Promise<StatusNotice | undefined> {
    return this.#statusNotices.findNotice(botId)
  }

  /** The last snapshot of a bot, given what is stored of it. */
  snapshotOver(botId: BotId, stored: GatewaySnapshot | undefined): GatewaySnapshot | undefined {
    return this.#snapshots.over(botId, stored)
  }

  /** The public status as remembered, without waiting; undefined when it has to be read. See {@link StatusBoard}. */
  recallStatus(botRef: string): BotStatus | undefined {
    return this.#board.recall(botRef)?.status
  }

  /** The public status; undefined when the bot is unknown, deleted, or its owner has not enabled it. */
  async status(botRef: string): Promise<BotStatus | undefined> {
    return (await this.publicBot(botRef))?.status
  }

  /** As `status`, with the state in one word. */
  async publicBot(botRef: string): Promise<PublicBot | undefined> {
    return this.#board.recall(botRef) ?? this.#board.read(botRef)
  }

  /** Stores the heartbeats in hand, and what is measured of them. */
  async close(): Promise<void> {
    this.#stopNews?.()
    this.#stopFlushing()
    const attempt = attempts(this.#onFault)
    await attempt('final heartbeat flush', {}, () => this.#snapshots.flush())
    await attempt('final status history flush', {}, () => this.history.close())
  }

  #changed(botId: BotId): void {
    this.#board.changed(botId)
    this.#changes.bot(botId)
  }
}

function parseBotChange(change: BotChange): StoredBotChange {
  const { avatar, plan, hostingEnabled, hostingLocation, publicStatus } = change
  return parseAll((take) => {
    const stored: StoredBotChange = {
      ownerId: change.ownerId,
      name: take(parseName(change.name)),
      chatPlatformId: take(parseChatPlatform(change.chatPlatformId)),
    }
    if (avatar !== undefined) stored.avatar = avatar === null ? null : take(parseAvatar(avatar))
    if (plan !== undefined) stored.plan = plan === null ? newBotDefaults.plan : take(parsePlan(plan))
    if (hostingEnabled !== undefined) stored.hostingEnabled = hostingEnabled ?? newBotDefaults.hostingEnabled
    if (hostingLocation !== undefined) stored.hostingLocation = hostingLocation
    if (publicStatus !== undefined) stored.publicStatus = publicStatus ?? newBotDefaults.publicStatus
    return stored
  })
}
