import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGatehouse } from '../gatehouse.ts'
import { secondsPerLoad } from '../measure.ts'
import { writePicture } from '../performance-page.ts'
import { load } from '../processes.ts'
import { botStatus, redeem, refresh, revoke, userinfo, type Work, webhookAccept } from '../works.ts'
import { framesOf, sharesOf } from './frames.ts'
import { flameGraph, type Path, sharesPicture } from './pictures.ts'

const paths = { userinfo, refresh, redeem, revoke, accept: webhookAccept(64), status: botStatus }

/** Profiles each hot path and draws the results for docs/performance.md. */
export async function drawFlames(): Promise<void> {
  const found: Path[] = []
  for (const [name, work] of Object.entries(paths)) {
    const root = framesOf(await record(work))
    writePicture(`flame-${name}.svg`, flameGraph(`Where the time of ${name} goes`, root))
    found.push({ name, shares: sharesOf(root) })
    console.log(`${name}: ${(root.micros / 1_000_000).toFixed(1)} s busy`)
  }
  writePicture('shares.svg', sharesPicture(found))
}

async function record(work: Work): Promise<Profiler.Profile> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-flames-'))
  const file = join(folder, 'profile')
  const profiler = new URL('./profiler.ts', import.meta.url).href
  const { target, server, end } = await startGatehouse({
    NODE_OPTIONS: `--import=${profiler}`,
    BENCH_PROFILE: file,
  })
  try {
    const run = async (afterMs: number) => {
      const prepared = await work.order(target, { afterMs })
      if (prepared === undefined) throw new Error(`${work.name}: not supported by the service`)
      const { origin, ...order } = prepared
      return () => load({ ...order, host: '127.0.0.1', port: Number(origin.port), connections: work.connections })
    }
    // Warms up before the profile starts, so that one-time compilation and caching are excluded.
    await (await run(1_000))()
    const measured = await run(secondsPerLoad * 1_000)
    server.kill('SIGUSR2')
    await measured()
    server.kill('SIGUSR2')
    while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 100))
    return await readProfile(file)
  } finally {
    await end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads the profile. Retries until the service has written the whole file. */
async function readProfile(file: string): Promise<Profiler.Profile> {
  for (;;) {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
