import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { startService, stop } from './processes.ts'
import {
  botIdOf,
  botRecord,
  hookRecord,
  newSetting,
  provisionClient,
  provisionMany,
  provisionWebhookBot,
  type Setting,
  statusBots,
  webhookBots,
} from './setting.ts'
import type { Target } from './works.ts'

/** A running service, provisioned with everything that the workloads need. */
export interface Gatehouse {
  setting: Setting
  target: Required<Target>
  server: ChildProcess
  end(): Promise<void>
}

export async function startGatehouse(env: NodeJS.ProcessEnv = {}): Promise<Gatehouse> {
  const { setting, server, end } = await startNode(env)
  try {
    return { setting, server, target: await provisionTarget(setting), end }
  } catch (error) {
    await end()
    throw error
  }
}

export async function startNode(env: NodeJS.ProcessEnv): Promise<Pick<Gatehouse, 'setting' | 'server' | 'end'>> {
  const setting = await newSetting()
  const server = await startService({ ...setting.env, TRUST_PROXY: '1', ...env })
  const end = async () => {
    await stop(server)
    rmSync(setting.dataDir, { recursive: true, force: true })
  }
  return { setting, server, end }
}

async function provisionTarget(setting: Setting): Promise<Required<Target>> {
  const oauth = await provisionClient(setting)
  await provisionWebhookBot(setting)
  const bots = Array.from({ length: statusBots }, (_, number) => botRecord(number))
  await provisionMany(setting, bots)
  const hooks = Array.from({ length: webhookBots }, (_, number) => hookRecord(botIdOf(number)))
  await provisionMany(setting, hooks)
  return { oauth, webhooks: { url: new URL('/bot-bench/hook', setting.api), status: '202' }, botStatus: setting.base }
}
