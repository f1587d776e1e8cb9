import { writePart, writePicture } from '../performance-page.ts'
import { botStatus, redeem, refresh, revoke, userinfo, webhookAccept } from '../works.ts'
import { flameGraph } from './flame-graph.ts'
import { framesOf, sharesOf } from './frames.ts'
import { record } from './record.ts'
import { type Path, sharesPicture, sharesTable } from './shares.ts'

const paths = { userinfo, refresh, redeem, revoke, accept: webhookAccept(64), status: botStatus }
const seconds = Number(process.env.BENCH_SECONDS ?? 4)

/** Profiles each hot path and draws the results for docs/performance.md. */
export async function drawFlames(): Promise<void> {
  const found: Path[] = []
  for (const [name, work] of Object.entries(paths)) {
    const root = framesOf(await record(work, seconds))
    writePicture(`flame-${name}.svg`, flameGraph(`Where the time of ${name} goes`, root))
    found.push({ name, shares: sharesOf(root) })
    console.log(`${name}: ${(root.micros / 1_000_000).toFixed(1)} s busy`)
  }
  writePicture('shares.svg', sharesPicture(found))
  writePart('shares', sharesTable(found))
}
