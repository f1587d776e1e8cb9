import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

/**
 * Preloaded into the service. SIGUSR2 starts a CPU profile. The next SIGUSR2 stops it and writes it to `BENCH_PROFILE`.
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
