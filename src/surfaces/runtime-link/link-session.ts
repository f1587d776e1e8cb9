import type { LiveRuntimeKey } from '../../domain/bots/runtimes/runtime.ts'
import type { BotId, RuntimeId } from '../../domain/ids.ts'

/** The connection below a session. */
export interface Wire {
  send(text: string): void
  close(code: number, reason: string): void
  /** Whether what was sent has mostly been read. The session is told by `drained` when that becomes so. */
  writable(): boolean
  /** How much of what was sent has not left for the other side yet. */
  unreadBytes(): number
  /** Asks the session anew whether it takes frames. */
  readOn(): void
}

/** A session on the runtime link, as its connection and the node drive it. */
export interface LinkSession {
  readonly runtimeId: RuntimeId
  /** Whether it can take frames now; while not, the connection is not read. */
  readonly takesFrames: boolean
  receive(text: string): void
  receiveBinary(): void
  keysChanged(keys: readonly LiveRuntimeKey[]): void
  assignmentChanged(botId: BotId): void
  /** The connection is gone, and nobody here ended it. */
  lost(): void
  /** The connection takes more again. */
  drained(): void
  /** Called every second. */
  watch(nowMs: number): void
  drain(inMs: number): void
  cutShort(): void
}
