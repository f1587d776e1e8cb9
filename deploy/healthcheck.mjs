// Health check of the image: exits with 0 if the service in this container responds, otherwise with 1. Reads the same
// settings as the service.
import { readConfig } from '../src/config/config.ts'
import { reachableUrl } from '../src/config/surface-address.ts'

const reading = readConfig()
if ('faults' in reading) process.exit(1)
try {
  const { ok } = await fetch(`${await reachableUrl(reading.config.control)}/livez`)
  process.exit(ok ? 0 : 1)
} catch {
  process.exit(1)
}
