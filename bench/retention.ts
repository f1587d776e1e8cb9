import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openQueueWorkload } from './queue-workload.ts'

/**
 * `node bench/retention.ts [events]` accepts, claims and acknowledges events of 256 bytes (ten million by default) on
 * the embedded queue, without HTTP. Each event must be handed out exactly once. Once the file holds everything that
 * retention keeps, it must stop growing and throughput must not drop.
 *
 * The queue's clock advances by an hour per 100,000 events, so that events reach the end of their retention.
 */
const total = Number(process.argv[2] ?? 10_000_000)
const batchSize = 64
const perLine = Math.max(50_000, Math.floor(total / 20))
const hourMs = 3_600_000

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-retention-'))
const path = join(folder, 'queue.sqlite')
const startMs = Date.now()
const workload = openQueueWorkload(path, startMs)

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const paces: number[] = []
console.log('| events | accepted and acknowledged/s | file MiB | log MiB | longest pause ms |')
console.log('|---|---|---|---|---|')
let lineBeganMs = performance.now()
for (let events = 0; events < total; ) {
  const nowMs = startMs + Math.floor((events / 100_000) * hourMs)
  await workload.acceptAndFinish(batchSize, nowMs)
  events += batchSize
  // Prunes expired events, as the service's upkeep does once a minute.
  if (events % 16_384 === 0) for (let pruned = 500; pruned === 500; ) pruned = await workload.queue.prune(nowMs, 500)
  if (events % perLine >= batchSize) continue
  const pace = perLine / ((performance.now() - lineBeganMs) / 1_000)
  paces.push(pace)
  const mib = (name: string) => (statSync(name).size / 1_048_576).toFixed(0)
  console.log(
    `| ${events} | ${pace.toFixed(0)} | ${mib(path)} | ${mib(`${path}-wal`)} | ${(delay.max / 1e6).toFixed(0)} |`,
  )
  delay.reset()
  lineBeganMs = performance.now()
}
const mean = (figures: number[]) => figures.reduce((sum, figure) => sum + figure, 0) / figures.length
const share = Math.max(1, Math.floor(paces.length / 5))
// Skips the first fifth, during which the file is still filling up.
const [early, late] = [mean(paces.slice(share, 2 * share)), mean(paces.slice(-share))]
console.log(`Throughput of the last fifth relative to the second: ${(late / early).toFixed(2)}`)
await workload.finishAll(startMs + Math.floor((total / 100_000) * hourMs))
await workload.close()
rmSync(folder, { recursive: true, force: true })
