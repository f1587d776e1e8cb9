import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parseEnv } from 'node:util'
import { freePorts } from '../support/free-ports.ts'
import { startProgram } from '../support/gatehouse-process.ts'

const settings = parseEnv(readFileSync(join(import.meta.dirname, '../../deploy/patroni/etcd.env'), 'utf8'))

/** Opens one etcd server, configured by `deploy/patroni/etcd.env`. */
export async function openEtcd(t: TestContext, folder: string) {
  const [host, peer] = (await freePorts(2)).map((port) => `127.0.0.1:${port}`) as [string, string]
  const env = {
    ...(settings as Record<string, string>),
    ETCD_DATA_DIR: join(folder, 'etcd'),
    ETCD_LISTEN_PEER_URLS: `http://${peer}`,
    ETCD_LISTEN_CLIENT_URLS: `http://${host}`,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${peer}`,
    ETCD_ADVERTISE_CLIENT_URLS: `http://${host}`,
    ETCD_INITIAL_CLUSTER: `${settings.ETCD_NAME}=http://${peer}`,
  }
  const start = async () => {
    const running = startProgram(t, ['etcd'], env)
    await running.waitForOutput('ready to serve client requests')
    return running
  }
  let running = await start()
  return {
    host,
    async start() {
      running = await start()
    },
    async kill() {
      running.signal('SIGKILL')
      await running.exited
    },
  }
}
