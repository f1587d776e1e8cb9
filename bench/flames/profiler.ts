import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

/**
 * Preloaded into the service. The first SIGUSR2 starts a CPU profile, the next one writes it to `BENCH_PROFILE`, and
 * further signals alternate in the same way.
 */
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.setSamplingInterval', { interval: 200 })

let recording = false
process.on('SIGUSR2', async () => {
  recording = !recording
  if (recording) {
    await session.post('Profiler.start')
    return
  }
  const { profile } = await session.post('Profiler.stop')
  writeFileSync(process.env.BENCH_PROFILE as string, JSON.stringify(profile))
})
