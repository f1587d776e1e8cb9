import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../domain/clock.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

/** Accepted clock difference. A Date header has a resolution of one second, and the response time adds to the error. */
const toleratedMs = 5_000
const answerTimeoutMs = 5_000

const remedy = 'run a time service (systemd-timesyncd, chrony)'

/**
 * Compares the clock with the time of the last write and with the configured sign-in providers. If there is nothing to
 * compare with, asks the system's time service. Contacts no other host.
 */
export async function examineClock(config: Config, clock: Clock): Promise<readonly Finding[]> {
  const findings = [...examineData(config, clock), ...(await Promise.all(providerAddresses(config).map(compare)))]
  return findings.length > 0 ? findings : [examineTimeService()]

  async function compare(address: string): Promise<Finding> {
    const { host } = new URL(address)
    const begunMs = clock.nowMs()
    const date = await dateAt(address)
    if (date === undefined) {
      const summary = `can't be compared with the sign-in provider ${host}, which is unreachable`
      return warning('clock', summary, "let this machine connect to it; otherwise users can't sign in with it")
    }
    const offMs = (begunMs + clock.nowMs()) / 2 - date
    if (Math.abs(offMs) <= toleratedMs) return ok('clock', `agrees with ${host}`)
    const summary = `is ${Math.round(Math.abs(offMs) / 1_000)} s ${offMs < 0 ? 'behind' : 'ahead of'} ${host}`
    return fault('clock', summary, remedy)
  }
}

function examineData({ dataDir }: Config, clock: Clock): Finding[] {
  let names: string[]
  try {
    names = readdirSync(dataDir).filter((name) => name.includes('.sqlite'))
  } catch {
    return []
  }
  const newestMs = Math.max(0, ...names.map((name) => statSync(join(dataDir, name)).mtimeMs))
  const backMs = newestMs - clock.nowMs()
  if (backMs <= toleratedMs) return []
  const summary = `is ${Math.round(backMs / 1_000)} s behind the last write to ${dataDir}: it was ahead then, or was set back since`
  return [fault('clock', summary, `${remedy}; anything due to expire lasts that much longer`)]
}

function providerAddresses({ providers }: Config): string[] {
  const addresses = providers.map((provider) => (provider.key === 'upstream' ? provider.issuer : provider.tokenUrl))
  return [...new Set(addresses.map((address) => new URL(address).origin))]
}

/** Returns the host's time in milliseconds since the epoch, or `undefined` if it can't be read. */
async function dateAt(address: string): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(answerTimeoutMs)
    const { headers } = await fetch(address, { method: 'HEAD', redirect: 'manual', signal })
    const date = Date.parse(headers.get('date') ?? '')
    return Number.isNaN(date) ? undefined : date
  } catch {
    return undefined
  }
}

function examineTimeService(): Finding {
  const asked = spawnSync('timedatectl', ['show', '--property=NTPSynchronized', '--value'], { encoding: 'utf8' })
  switch (asked.stdout?.trim()) {
    case 'yes':
      return ok('clock', 'is synchronized by the system')
    case 'no':
      return warning('clock', 'is not synchronized by a time service, according to the system', remedy)
    default:
      return ok('clock', 'not checked: no sign-in provider is configured, and this system has no timedatectl')
  }
}
