import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parseEnv } from 'node:util'
import { type RunningProgram, startProgram } from '../support/gatehouse-process.ts'
import { freePorts } from '../support/world.ts'

const settings = parseEnv(readFileSync(join(import.meta.dirname, '../../deploy/patroni/etcd.env'), 'utf8'))

/** One etcd server, configured by `deploy/patroni/etcd.env`. */
export class Etcd {
  readonly host: string
  readonly #t: TestContext
  readonly #env: Record<string, string>
  #process: RunningProgram | undefined

  private constructor(t: TestContext, host: string, env: Record<string, string>) {
    this.#t = t
    this.host = host
    this.#env = env
  }

  static async open(t: TestContext, folder: string): Promise<Etcd> {
    const [client, peer] = (await freePorts(2)).map((port) => `127.0.0.1:${port}`) as [string, string]
    const etcd = new Etcd(t, client, {
      ...(settings as Record<string, string>),
      ETCD_DATA_DIR: join(folder, 'etcd'),
      ETCD_LISTEN_PEER_URLS: `http://${peer}`,
      ETCD_LISTEN_CLIENT_URLS: `http://${client}`,
      ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${peer}`,
      ETCD_ADVERTISE_CLIENT_URLS: `http://${client}`,
      ETCD_INITIAL_CLUSTER: `${settings.ETCD_NAME}=http://${peer}`,
    })
    await etcd.start()
    return etcd
  }

  async start(): Promise<void> {
    this.#process = startProgram(this.#t, ['etcd'], this.#env)
    await this.#process.waitForOutput('ready to serve client requests')
  }

  async kill(): Promise<void> {
    this.#process?.signal('SIGKILL')
    await this.#process?.exited
  }
}
