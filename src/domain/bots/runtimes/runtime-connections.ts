import { Flushes, type OnFault, oneAtATime, writeInBatches } from '../../background-work.ts'
import type { Clock } from '../../clock.ts'
import type { RuntimeId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'

/** The latest connection of one instance of a runtime, from the `ready` frame until the connection closes. */
export interface RuntimeConnection {
  runtimeId: RuntimeId
  /** Unique within the runtime. */
  instance: string
  /** As the runtime reports it. */
  agent: string
  connectedAtMs: number
  /** Time of the last heartbeat, stored about once a minute. */
  heardAtMs: number
  /** `null` if the connection is open, or if its node died. */
  endedAtMs: number | null
}

/** A connection whose node died without storing the end counts as open for a while. */
export function isConnected({ heardAtMs, endedAtMs }: RuntimeConnection, nowMs: number): boolean {
  return endedAtMs === null && nowMs - heardAtMs <= limits.runtimeConnectionFreshForMs
}

export interface RuntimeConnectionStore {
  /**
   * One transaction. Ignores connections of unknown runtimes, and never overwrites a later connection of the same
   * instance. Keeps at most `keep` connections per runtime: open ones first, then the latest.
   *
   * @param connections at most one per instance.
   */
  putConnections(connections: readonly RuntimeConnection[], keep: number): Promise<void>
  /** Returns up to `most` connections of each runtime: open ones first, then the latest. */
  listConnections(runtimeIds: readonly RuntimeId[], most: number): Promise<RuntimeConnection[]>
}

export interface OpenConnection {
  heard(): void
  ended(): void
}

const connectionsPerBatch = 500

/** Records which runtimes are connected to this node, in batches, so that a session never waits for the disk. */
export class RuntimeConnections {
  readonly #store: RuntimeConnectionStore
  readonly #clock: Clock
  readonly #stopFlushing: () => void
  readonly #open = new Set<RuntimeConnection>()
  /** Copies, keyed by runtime and instance. */
  readonly #unstored = new Map<string, RuntimeConnection>()
  readonly #flushes = new Flushes()
  #heardStoredAtMs: number

  /** @param parts.flushEveryMs also the maximum delay until other nodes see a change. */
  constructor(parts: { store: RuntimeConnectionStore; clock: Clock; flushEveryMs: number; onFault: OnFault }) {
    const { store, clock, flushEveryMs, onFault } = parts
    this.#store = store
    this.#clock = clock
    this.#heardStoredAtMs = clock.nowMs()
    const flushing = oneAtATime(() => this.flush().catch((error) => onFault(error, 'runtime connection flush')))
    this.#stopFlushing = clock.every(flushEveryMs, flushing.run)
  }

  open(runtimeId: RuntimeId, { instance, agent }: { instance: string; agent: string }): OpenConnection {
    const nowMs = this.#clock.nowMs()
    const connection: RuntimeConnection = {
      runtimeId,
      instance,
      agent,
      connectedAtMs: nowMs,
      heardAtMs: nowMs,
      endedAtMs: null,
    }
    this.#open.add(connection)
    this.#changed(connection)
    return {
      heard: () => {
        connection.heardAtMs = this.#clock.nowMs()
      },
      ended: () => {
        if (!this.#open.delete(connection)) return
        connection.endedAtMs = this.#clock.nowMs()
        this.#changed(connection)
      },
    }
  }

  /** Returns each runtime's open connections, newest first, or its last connection if none is open. */
  async list(runtimeIds: readonly RuntimeId[]): Promise<ReadonlyMap<RuntimeId, readonly RuntimeConnection[]>> {
    // The result may lack changes that are flushed during the read.
    const earlier = [...this.#unstored.values(), ...this.#open]
    const stored = await this.#store.listConnections(runtimeIds, limits.runtimeConnectionsShown)
    const latest = new Map<string, RuntimeConnection>()
    for (const one of [...stored, ...earlier, ...this.#unstored.values(), ...this.#open]) {
      const before = latest.get(keyOf(one))
      if (before === undefined || before.connectedAtMs <= one.connectedAtMs) latest.set(keyOf(one), one)
    }
    const ofRuntime = Map.groupBy(latest.values(), ({ runtimeId }) => runtimeId)
    const nowMs = this.#clock.nowMs()
    return new Map(runtimeIds.map((id) => [id, shown(ofRuntime.get(id) ?? [], nowMs)]))
  }

  /** Changes that fail are retried on the next flush. */
  flush(): Promise<void> {
    return this.#flushes.run(() => {
      const nowMs = this.#clock.nowMs()
      if (nowMs - this.#heardStoredAtMs >= limits.runtimeHeardStoredEveryMs) {
        this.#heardStoredAtMs = nowMs
        for (const connection of this.#open) this.#changed(connection)
      }
      return this.#write([...this.#unstored].sort(([one], [other]) => (one < other ? -1 : 1)))
    })
  }

  close(): Promise<void> {
    this.#stopFlushing()
    return this.flush()
  }

  #write(changes: readonly (readonly [key: string, RuntimeConnection])[]): Promise<void> {
    return writeInBatches(changes, connectionsPerBatch, async (batch) => {
      const connections = batch.map(([, connection]) => connection)
      await this.#store.putConnections(connections, limits.runtimeConnectionsKept)
      for (const [key, written] of batch) if (this.#unstored.get(key) === written) this.#unstored.delete(key)
    })
  }

  #changed(connection: RuntimeConnection): void {
    const unstored = this.#unstored.get(keyOf(connection))
    if (unstored !== undefined && unstored.connectedAtMs > connection.connectedAtMs) return
    this.#unstored.set(keyOf(connection), { ...connection })
  }
}

function keyOf({ runtimeId, instance }: RuntimeConnection): string {
  return `${runtimeId}/${instance}`
}

function shown(connections: readonly RuntimeConnection[], nowMs: number): RuntimeConnection[] {
  const open = connections.filter((one) => isConnected(one, nowMs))
  if (open.length > 0)
    return open.sort((one, other) => other.connectedAtMs - one.connectedAtMs).slice(0, limits.runtimeConnectionsShown)
  const [last] = connections.toSorted((one, other) => lastSeenAtMs(other) - lastSeenAtMs(one))
  return last === undefined ? [] : [last]
}

function lastSeenAtMs({ heardAtMs, endedAtMs }: RuntimeConnection): number {
  return endedAtMs ?? heardAtMs
}
