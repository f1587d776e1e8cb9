import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nextMessage, processorSeconds, residentMiB, startService, stop } from './processes.ts'
import type { FleetOrder, FleetResult } from './runtime-fleet.ts'
import { botIdOf, botRecord, newSetting, provision, provisionMany, type Setting } from './setting.ts'

/**
 * `npm run bench:heartbeats` measures the cost of 100,000 bots that report every 30 seconds through 100 runtimes, each
 * with its own WebSocket. It also reports the sizes of the data files. It runs past the end of a five-minute history
 * slot, so that the cost of storing the slot is included.
 */
const bots = Number(process.env.BENCH_BOTS ?? 100_000)
const runtimes = 100
const seconds = Number(process.env.BENCH_SECONDS ?? 330)
const intervalMs = 30_000
/** Number of bots whose status is requested at the end. The status API allows only 60 requests per minute. */
const botsQueried = 50

async function main(): Promise<void> {
  const setting = await newSetting()
  const service = await startService(setting.env)
  try {
    const keys = await provisionFleet(setting)
    const before = fileSizes(setting)
    const fleet = fork(new URL('./runtime-fleet.ts', import.meta.url), { stdio: 'inherit' })
    fleet.send({ api: setting.api.href, keys, bots, intervalMs } satisfies FleetOrder)
    await nextMessage(fleet)
    const { share, worst } = await watch(service, fleet)
    fleet.send('end' satisfies FleetOrder)
    const result = await nextMessage<FleetResult>(fleet)
    console.log(`${bots} bots through ${runtimes} runtimes, every ${intervalMs / 1_000} s, for ${seconds} s:`)
    console.log(
      `- ${share.toFixed(3)} of a core; ${worst.toFixed(3)} in the worst 10 s; RSS ${residentMiB(service) ?? '?'} MiB`,
    )
    console.log(`- ${result.sent} heartbeat frames sent, ${result.answered} answered, ${result.lost} connections lost`)
    console.log(`- files before: ${before}; after: ${fileSizes(setting)}`)
    console.log(`- ${await countOnline(setting)} of ${botsQueried} queried bots are online`)
  } finally {
    await stop(service)
    rmSync(setting.dataDir, { recursive: true, force: true })
  }
}

async function provisionFleet(setting: Setting): Promise<string[]> {
  await provision(setting, '/v1/users/ada', { name: 'Ada' })
  const numbers = Array.from({ length: bots }, (_, number) => number)
  await provisionMany(setting, numbers.map(botRecord))
  const keys: string[] = []
  for (let runtime = 0; runtime < runtimes; runtime += 1) {
    const botIds = numbers.filter((number) => number % runtimes === runtime).map(botIdOf)
    const made = await provision(setting, '/v1/runtimes', { name: `Rack ${runtime}`, botIds }, 'POST')
    keys.push(made.key as string)
  }
  return keys
}

async function watch(service: ChildProcess, fleet: ChildProcess) {
  const stepMs = 10_000
  const shares: number[] = []
  let ended = false
  fleet.once('exit', () => {
    ended = true
  })
  for (let passedMs = 0; passedMs < seconds * 1_000 && !ended; passedMs += stepMs) {
    const [beforeMs, before] = [performance.now(), processorSeconds(service) ?? Number.NaN]
    await new Promise((resolve) => setTimeout(resolve, stepMs))
    const used = (processorSeconds(service) ?? Number.NaN) - before
    shares.push((used * 1_000) / (performance.now() - beforeMs))
  }
  return { share: shares.reduce((sum, share) => sum + share, 0) / shares.length, worst: Math.max(...shares) }
}

function fileSizes({ dataDir }: Setting): string {
  return readdirSync(dataDir)
    .filter((name) => /sqlite(-wal)?$/.test(name))
    .map((name) => `${name} ${Math.round(statSync(join(dataDir, name)).size / 1_048_576)} MiB`)
    .join(', ')
}

async function countOnline(setting: Setting): Promise<number> {
  let online = 0
  for (let number = 0; number < botsQueried; number += 1) {
    const answer = await fetch(new URL(`/botstatus/${botIdOf(number)}/api`, setting.base))
    if (((await answer.json()) as { online: boolean }).online) online += 1
  }
  return online
}

await main()
