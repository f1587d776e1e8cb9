import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { TestContext } from 'node:test'
import { readConfig } from '../src/config.ts'
import type { Clock } from '../src/domain/clock.ts'
import { buildHosts, type Host } from '../src/hosts.ts'
import { openLog } from '../src/process/log.ts'
import { openService, type Service } from '../src/service.ts'

/** A clock that stands still until it is moved; what is due on the way runs at its due time. */
export class HandClock implements Clock {
  #nowMs: number
  #loops = new Set<{ dueMs: number; intervalMs: number; work: () => void }>()

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  nowMs = (): number => this.#nowMs

  every(intervalMs: number, work: () => void): () => void {
    const loop = { dueMs: this.#nowMs + intervalMs, intervalMs, work }
    this.#loops.add(loop)
    return () => this.#loops.delete(loop)
  }

  /** Moves time on by `ms`, running each loop as often as it comes due; `async` work gets its turns in between. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms
    for (;;) {
      const next = [...this.#loops].sort((one, other) => one.dueMs - other.dueMs)[0]
      if (next === undefined || next.dueMs > untilMs) break
      this.#nowMs = Math.max(this.#nowMs, next.dueMs)
      // Over days a loop of a second would come due a million times; a few hundred turns show the same.
      next.dueMs += Math.max(next.intervalMs, Math.floor(ms / 200))
      next.work()
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#nowMs = untilMs
    for (const loop of this.#loops) loop.dueMs = Math.min(loop.dueMs, untilMs + loop.intervalMs)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

export interface World {
  baseUrl: string
  apiUrl: string
  portalUrl: string
  controlUrl: string
  operatorKey: string
  clock: HandClock
  service: Service
  /** All that was logged so far, as written: JSON lines at the lowest level. */
  logs(): string
  dataDir: string
  /** Stops the service and starts it again on the same data. */
  restart(): Promise<void>
}

/**
 * Starts the whole service in this process, on free ports, an empty data directory and a clock moved
 * by hand, and stops it when the test ends.
 */
export async function openWorld(t: TestContext, env: Record<string, string> = {}): Promise<World> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  const [base, api, portal, control] = await freePorts(4)
  const lines: string[] = []
  const log = openLog(
    'trace',
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    }),
  )
  const reading = readConfig({
    BASE_URL: `http://localhost:${base}`,
    API_URL: `http://localhost:${api}`,
    PORTAL_URL: `http://localhost:${portal}`,
    CONTROL_URL: `http://127.0.0.1:${control}`,
    DATA_DIR: dataDir,
    ...env,
  })
  if ('faults' in reading) throw new Error(reading.faults.map((fault) => fault.message).join('\n'))
  const keys = {
    secretKey: 'test-secret-key-test-secret-key-0001',
    operatorKey: 'test-operator-key-test-operator-k-01',
  }
  const clock = new HandClock(Date.UTC(2026, 0, 5, 12))
  const { config } = reading

  const start = async (): Promise<{ service: Service; hosts: Host[] }> => {
    const service = await openService({ config, keys, clock, log })
    const hosts = await buildHosts(service)
    await Promise.all(hosts.map((host) => host.listen()))
    return { service, hosts }
  }
  const stop = async ({ service, hosts }: { service: Service; hosts: Host[] }) => {
    await Promise.all(hosts.map((host) => host.close()))
    await service.close()
  }

  let running = await start()
  t.after(async () => {
    await stop(running)
    rmSync(dataDir, { recursive: true, force: true })
  })
  const world: World = {
    baseUrl: config.base.url,
    apiUrl: config.api.url,
    portalUrl: config.portal.url,
    controlUrl: config.control.url,
    operatorKey: keys.operatorKey,
    clock,
    service: running.service,
    dataDir,
    logs: () => lines.join(''),
    async restart() {
      await stop(running)
      running = await start()
      world.service = running.service
    },
  }
  return world
}

/** Asks the system for ports nobody listens on; held together until all are known, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer()
          server.listen(0, '127.0.0.1', () => resolve(server))
        }),
    ),
  )
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
