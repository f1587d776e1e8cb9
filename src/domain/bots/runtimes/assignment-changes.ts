import { type BotId, parseBotId, type RuntimeId, type UserId } from '../../ids-and-secrets.ts'
import { Listeners } from '../../listeners.ts'
import type { BotStore } from '../bot.ts'
import type { Hosting, Runtime, RuntimeAccess } from './runtime.ts'

/** Broadcast to the other nodes, which read details from the store. `runtime-keys`: any change of a runtime. */
export type NodeMessage = { kind: 'bot'; botId: BotId } | { kind: 'runtime-keys'; runtimeId: RuntimeId }

/** A node misses changes while it is unreachable, and gets `missed` once it is reachable again. */
export interface NodeBroadcast {
  /**
   * Doesn't wait. If a broadcast is lost, other nodes see the change when their caches expire, within seconds, and their
   * runtimes within a minute.
   */
  broadcast(message: NodeMessage): void
  /** Calls the listener with each change on another node. Returns a function that unsubscribes. */
  onMessage(listener: (message: NodeMessage | 'missed') => void): () => void
}

export type AssignmentChanges = ReturnType<typeof createAssignmentChanges>

/** Tells runtime connections of changed bots, keys or lists of bots: here directly, on other nodes by broadcast. */
export function createAssignmentChanges(news: NodeBroadcast | undefined) {
  const bots = new Listeners<BotId>()
  const runtimes = new Listeners<{ runtimeId: RuntimeId; access: RuntimeAccess | undefined }>()
  const missed = new Listeners<void>()

  return {
    onBot: bots.add,
    onRuntime: runtimes.add,
    onMissed: missed.add,
    botChangedElsewhere: bots.call,
    runtimeChangedElsewhere: runtimes.call,
    missed: missed.call,

    bot(botId: BotId): void {
      bots.call(botId)
      news?.broadcast({ kind: 'bot', botId })
    },

    /** @param access `undefined` if the runtime was removed. */
    runtime(runtimeId: RuntimeId, access: RuntimeAccess | undefined): void {
      runtimes.call({ runtimeId, access })
      news?.broadcast({ kind: 'runtime-keys', runtimeId })
    },
  }
}

/** @param wanted bot IDs. `undefined`: all that the runtime may host; what can't be hosted is then left out. */
export async function hostableBots(
  bots: BotStore,
  runtime: Runtime,
  wanted: readonly string[] | undefined,
): Promise<Hosting> {
  const asked = wanted === undefined ? runtime.botIds : [...new Set(wanted)]
  const allowed = runtime.botIds === null ? undefined : new Set<string>(runtime.botIds)
  // A request can list any number of IDs, so look up only those in the runtime's list of bots or, without a list,
  // well-formed ones.
  const candidates = asked?.filter((botId) => allowed?.has(botId) ?? parseBotId(botId) !== undefined)
  const stored = candidates === undefined ? bots.listAllForHosting(runtime.ownerId) : bots.listForHosting(candidates)
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
