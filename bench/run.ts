import { endToEnd } from './end-to-end.ts'
import { drawFlames } from './flames/draw.ts'
import { startGatehouse, startNode } from './gatehouse.ts'
import { measure, medianOf, probeSync, type Round, rounds, secondsPerLoad, startBare } from './measure.ts'
import { comparePeers } from './peers/compare.ts'
import { onPostgres } from './postgres.ts'
import { canPin, stop } from './processes.ts'
import { botStatus, redeem, refresh, revoke, userinfo, type Work, webhookAccept, webhooksOfManyBots } from './works.ts'

/**
 * `npm run bench` measures the hot paths. Each result is a ratio to a bare node:http server under the same load.
 * Absolute figures are valid only for this machine at this time, but ratios carry over. Arguments select rows by name.
 *
 * `--postgres` uses PostgreSQL, on the other core, instead of SQLite. `--peers` compares other servers and `--flames`
 * profiles each path. Both update docs/performance.md.
 */
const endToEndName = 'end to end, webhook to runtime, idle'
const works = [webhookAccept(64), webhookAccept(256), webhooksOfManyBots, userinfo, refresh, redeem, revoke, botStatus]

async function measureHotPaths(words: string[], env: Record<string, string> = {}): Promise<void> {
  const { setting, target, server, end } = await startGatehouse(env)
  const bare = await startBare()
  try {
    console.log(
      `Node ${process.version}; ${probeSync(setting.dataDir).perSecond} synced writes/s; ${rounds} rounds of ${secondsPerLoad} s`,
    )
    if (!canPin) console.log('taskset not found: server and client share cores, so the figures are rough.')
    // Measures latency first, while the queue is empty and the system is idle.
    if (isSelected(endToEndName, words)) {
      const { receipt, answer } = await endToEnd(setting, { botId: 'bot-bench', path: 'hook' })
      const format = ({ p50Ms, p99Ms }: typeof receipt) => `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`
      console.log(`${endToEndName}: ${format(receipt)}; to the response 202: ${format(answer)}`)
    }
    const chosen = works.filter(({ name }) => isSelected(name, words))
    if (chosen.length === 0) return
    console.log('| workload | connections | per second | bare | ratio | processor ratio | p50 ms | p99 ms | RSS MiB |')
    console.log('|---|---|---|---|---|---|---|---|---|')
    for (const work of chosen) {
      const shown: Round[] = []
      for (let round = 0; round < rounds; round += 1) {
        const one = await measure(work, target, server, bare)
        if (one !== undefined) shown.push(one)
      }
      console.log(row(work, shown))
    }
  } finally {
    await Promise.all([end(), stop(bare.server)])
  }
}

function row({ name, connections }: Work, shown: readonly Round[]): string {
  const figures = [
    name,
    connections,
    Math.round(medianOf(shown, ({ perSecond }) => perSecond)),
    Math.round(medianOf(shown, ({ barePerSecond }) => barePerSecond)),
    medianOf(shown, ({ perSecond, barePerSecond }) => perSecond / barePerSecond).toFixed(2),
    medianOf(shown, ({ processorMicros, bareProcessorMicros }) => bareProcessorMicros / processorMicros).toFixed(2),
    medianOf(shown, ({ p50Ms }) => p50Ms).toFixed(1),
    medianOf(shown, ({ p99Ms }) => p99Ms).toFixed(1),
    shown.at(-1)?.residentMiB ?? '?',
  ]
  return `| ${figures.join(' | ')} |`
}

async function measureOnPostgres(words: string[]): Promise<void> {
  await onPostgres((env) => measureHotPaths(words, env))
  if (!isSelected(botStatus.name, words)) return
  await onPostgres(async (env) => {
    const other = await startNode(env)
    try {
      console.log('With a second, idle node: the nodes count requests for bot status together.')
      await measureHotPaths([botStatus.name], env)
    } finally {
      await other.end()
    }
  })
}

function isSelected(name: string, words: readonly string[]): boolean {
  return words.length === 0 || words.some((word) => name.includes(word))
}

const words = process.argv.slice(2)
if (words.includes('--peers')) await comparePeers()
else if (words.includes('--flames')) await drawFlames()
else if (words.includes('--postgres')) await measureOnPostgres(words.filter((word) => word !== '--postgres'))
else await measureHotPaths(words)
