import type { Audit } from '../audit/audit.ts'
import { isolatedSteps, type OnFault, type SingletonDuty } from '../background-work.ts'
import type { Clock } from '../clock.ts'
import type { BotId, Secrets, UserId } from '../ids-and-secrets.ts'
import type { BotStore } from './bot.ts'
import { createBotAccess } from './bot-access.ts'
import { createBotRecords } from './bot-records.ts'
import { type BotEvents, createDiscardOfDeleted } from './deleted-bots.ts'
import type { FlowStore } from './flows/flow.ts'
import { createFlows } from './flows/flows.ts'
import { createInvitations, type InvitationStore } from './invitations.ts'
import {
  createAssignmentChanges,
  hostableBots,
  type NodeBroadcast,
  type NodeMessage,
} from './runtimes/assignment-changes.ts'
import type { Runtime, RuntimeStore } from './runtimes/runtime.ts'
import { type RuntimeConnectionStore, RuntimeConnections } from './runtimes/runtime-connections.ts'
import { createRuntimeLogs, type RuntimeLogStore } from './runtimes/runtime-logs.ts'
import { createRuntimes } from './runtimes/runtimes.ts'
import { createHeartbeats } from './status/heartbeats.ts'
import { type SnapshotStore, Snapshots } from './status/snapshots.ts'
import { createOwnStatus, incidentsOf, StatusBoard } from './status/status-board.ts'
import { StatusHistory } from './status/status-history.ts'
import type { StatusHistoryStore } from './status/status-history-store.ts'
import { createStatusNotices } from './status/status-notices.ts'

const botsCheckedEveryMs = 60_000

export interface BotsParts {
  bots: BotStore
  flows: FlowStore
  invitations: InvitationStore
  queue: BotEvents
  runtimes: RuntimeStore
  runtimeConnections: RuntimeConnectionStore
  runtimeLogs: RuntimeLogStore
  snapshots: SnapshotStore
  statusHistory: StatusHistoryStore
  ownersManageFlows: boolean
  mustConfirmEmail?: ((userId: UserId) => Promise<boolean>) | undefined
  audit: Audit
  secrets: Secrets
  clock: Clock
  /** Selects the node that rolls up the status history. */
  duty: SingletonDuty
  /** `undefined` if there is only one node. */
  news?: NodeBroadcast | undefined
  /** Receives failures in background work. The failed step is retried. */
  onFault: OnFault
}

export type Bots = ReturnType<typeof createBots>

export function createBots(parts: BotsParts) {
  const { bots, audit, secrets, clock, duty, news, onFault } = parts
  const access = createBotAccess(bots)
  const discardOfDeleted = createDiscardOfDeleted(bots, parts.queue)
  const changes = createAssignmentChanges(news)
  const snapshots = new Snapshots(parts.snapshots)
  const board = new StatusBoard({ bots, snapshots, clock })
  const history = new StatusHistory({ store: parts.statusHistory, duty, clock, onFault })
  const { meter } = history
  const announce = (botId: BotId) => {
    board.changed(botId)
    changes.bot(botId)
  }
  const runtimes = createRuntimes({ ...parts, store: parts.runtimes, changes })
  const { flushEveryMs } = parts.snapshots
  const heartbeats = createHeartbeats({ snapshots, board, meter, clock, flushEveryMs, onFault })
  const connections = new RuntimeConnections({ store: parts.runtimeConnections, clock, flushEveryMs, onFault })

  async function hear(heard: NodeMessage | 'missed'): Promise<void> {
    if (heard === 'missed') {
      changes.missed()
    } else if (heard.kind === 'runtime-keys') {
      const { runtimeId } = heard
      changes.runtimeChangedElsewhere({ runtimeId, access: await runtimes.find(runtimeId, 'operator') })
    } else {
      botChanged(heard.botId)
    }
  }
  function botChanged(botId: BotId): void {
    board.changed(botId)
    changes.botChangedElsewhere(botId)
  }
  let checkedAtMs = clock.nowMs()
  /** Catches up on changes whose broadcasts were lost. */
  async function checkBots(): Promise<void> {
    const nowMs = clock.nowMs()
    // A transaction may commit long after the time that it stores.
    for (const botId of await bots.listChangedSince(checkedAtMs - botsCheckedEveryMs)) botChanged(botId)
    checkedAtMs = nowMs
  }
  const stops = news && [
    news.onMessage((heard) => hear(heard).catch((error) => onFault(error, 'node broadcast handling'))),
    clock.every(botsCheckedEveryMs, () => checkBots().catch((error) => onFault(error, 'bot change check'))),
  ]

  return {
    access,
    records: createBotRecords({ bots, snapshots, discardOfDeleted, meter, announce, audit, clock }),
    discardOfDeleted,
    invitations: createInvitations({ store: parts.invitations, audit, secrets, clock }),
    flows: createFlows({
      store: parts.flows,
      events: parts.queue,
      ownersManage: parts.ownersManageFlows,
      access,
      audit,
      secrets,
      clock,
      changes,
      onFault,
    }),
    runtimes,
    connections,
    hostable: (runtime: Runtime, wanted: readonly string[] | undefined) => hostableBots(bots, runtime, wanted),
    logs: createRuntimeLogs(parts),
    changes,
    heartbeats,
    snapshots,
    statusBoard: board,
    ownStatus: createOwnStatus({ bots, snapshots, clock }),
    notices: createStatusNotices({ bots, access, board, clock }),
    history,
    incidentsOf: async (botId: BotId) => incidentsOf(await parts.statusHistory.changesOf(botId)),

    async close() {
      for (const stop of stops ?? []) stop()
      const attempt = isolatedSteps(onFault)
      await attempt('final heartbeat flush', {}, () => heartbeats.close())
      await attempt('final runtime connection flush', {}, () => connections.close())
      await attempt('final status history flush', {}, () => history.close())
    },
  }
}
