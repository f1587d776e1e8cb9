import type { RuntimeId } from '../../ids.ts'
import { runtimeConnectionFreshForMs } from '../../limits/limits.ts'

/** The latest connection of one instance of a runtime, from the `ready` frame until the connection closes. */
export interface RuntimeConnection {
  runtimeId: RuntimeId
  /** Name of the runtime's process, unique within the runtime. */
  instance: string
  /** Program and version of the runtime, as the runtime reports them. */
  agent: string
  connectedAtMs: number
  /** When a heartbeat was last received. Stored about once a minute. */
  heardAtMs: number
  /** When the connection ended. `null` if the connection is open, or if its node died. */
  endedAtMs: number | null
}

/**
 * Returns whether the connection is open. If its node died without storing the end, the connection counts as open for a
 * while.
 */
export function isConnected({ heardAtMs, endedAtMs }: RuntimeConnection, nowMs: number): boolean {
  return endedAtMs === null && nowMs - heardAtMs <= runtimeConnectionFreshForMs
}

export interface RuntimeConnectionStore {
  /**
   * Stores the connections in one transaction, and ignores connections of unknown runtimes. Never overwrites a later
   * connection of the same instance. Keeps at most `keep` connections per runtime: open ones first, then the latest.
   *
   * @param connections at most one per instance.
   */
  putConnections(connections: readonly RuntimeConnection[], keep: number): Promise<void>
  /** Returns up to `most` connections of each of these runtimes: open ones first, then the latest. */
  listConnections(runtimeIds: readonly RuntimeId[], most: number): Promise<RuntimeConnection[]>
}
