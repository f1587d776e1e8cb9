import type { Bot } from '../../../domain/bots/bot.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import type { RuntimeRecord } from '../../../domain/bots/runtimes/runtime.ts'
import { isConnected, type RuntimeConnection } from '../../../domain/bots/runtimes/runtime-connections.ts'

/** A runtime with its open connections or, if there are none, with its last connection. */
export interface ShownRuntime {
  runtime: RuntimeRecord
  connections: readonly RuntimeConnection[]
}

/** Returns the owner's runtimes that are allowed to host the bot, newest first. */
export async function hostingRuntimes({ runtimes, connections }: Bots, bot: Bot): Promise<ShownRuntime[]> {
  const hosting = (await runtimes.list(bot.ownerId)).filter((runtime) => mayHost(runtime, bot))
  const connected = await connections.list(hosting.map(({ id }) => id))
  return hosting.map((runtime) => ({ runtime, connections: connected.get(runtime.id) ?? [] }))
}

/**
 * Returns when the bot's last heartbeat was received, if a runtime of the platform sends them: they are fresh, and none of
 * the owner's runtimes is connected. Otherwise returns `null`.
 */
export async function heardFromPlatform(
  { ownStatus }: Bots,
  { id }: Bot,
  runtimes: readonly ShownRuntime[],
  nowMs: number,
): Promise<number | null> {
  if (runtimes.some(({ connections }) => connections.some((connection) => isConnected(connection, nowMs)))) return null
  const own = await ownStatus.find(id)
  return own?.state === 'online' || own?.state === 'connecting' ? own.status.reportedAt : null
}

export function mayHost({ botIds }: RuntimeRecord, { id }: Bot): boolean {
  return botIds === null || botIds.includes(id)
}
