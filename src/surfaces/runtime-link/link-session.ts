import type { RuntimeAccess } from '../../domain/bots/runtimes/runtime.ts'
import type { BotId, RuntimeId } from '../../domain/ids.ts'

/** How a session ends: the close code, and its reason. */
export interface SessionEnd {
  code: number
  reason: string
}

/** A session on the runtime link: either a runtime's session, or one that receives copies. */
export interface LinkSession {
  readonly runtimeId: RuntimeId
  /** Whether the session can handle frames now. If it can't, the connection isn't read. */
  readonly takesFrames: boolean
  receive(text: string): void
  receiveBinary(): void
  /**
   * Called when the runtime's keys or its list of bots may have changed.
   *
   * @param access `undefined` if the runtime was removed.
   */
  runtimeChanged(access: RuntimeAccess | undefined): void
  /** Called when the bot has changed. Rechecks whether the runtime hosts it. */
  assignmentChanged(botId: BotId): void
  /** Called when the connection has been closed. Does nothing if the session closed it. */
  lost(): void
  /** Called when the connection can accept more data again. */
  drained(): void
  /** Ends the session if its key has expired, or if the client sends or reads nothing. Call it every second. */
  watch(nowMs: number): void
  /** Stops delivering, and ends the session once all deliveries in flight are finished. */
  drain(inMs: number, reason: string): void
  /** Ends the session even if deliveries are in flight. A runtime reconnects and continues them. */
  cutShort(): void
}
