import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../domain/clock.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

/** Accepted clock difference. A Date header has a resolution of one second, and the response time adds to the error. */
const toleratedMs = 5_000
const answerTimeoutMs = 5_000

const remedy = 'run a time service (systemd-timesyncd, chrony)'

/**
 * Compares the clock with the time of the last write and with the configured sign-in providers. If there is nothing to
 * compare with, asks the system's time service. Contacts no other host.
 */
export async function examineClock({ dataDir, providers }: Config): Promise<Finding[]> {
  const addresses = providers.map((provider) => (provider.key === 'upstream' ? provider.issuer : provider.tokenUrl))
  const origins = new Set(addresses.map((address) => new URL(address).origin))
  const findings = [...compareWithData(dataDir), ...(await Promise.all([...origins].map(compareWithProvider)))]
  return findings.length > 0 ? findings : [askTimeService()]
}

function compareWithData(dataDir: string): Finding[] {
  let names: string[]
  try {
    names = readdirSync(dataDir).filter((name) => name.includes('.sqlite'))
  } catch {
    return []
  }
  const newestMs = Math.max(0, ...names.map((name) => statSync(join(dataDir, name)).mtimeMs))
  const backMs = newestMs - systemClock.nowMs()
  if (backMs <= toleratedMs) return []
  const past = 'it was ahead then, or was set back since'
  const summary = `is ${Math.round(backMs / 1_000)} s behind the last write to ${dataDir}: ${past}`
  return [fault(summary, `${remedy}; anything due to expire lasts that much longer`)]
}

async function compareWithProvider(origin: string): Promise<Finding> {
  const { host } = new URL(origin)
  const begunMs = systemClock.nowMs()
  const signal = AbortSignal.timeout(answerTimeoutMs)
  const answer = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal }).catch(() => undefined)
  const dateMs = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(dateMs)) {
    const summary = `can't be compared with the sign-in provider ${host}, which is unreachable`
    return warning(summary, "let this machine connect to it; otherwise users can't sign in with it")
  }
  const offMs = (begunMs + systemClock.nowMs()) / 2 - dateMs
  if (Math.abs(offMs) <= toleratedMs) return ok(`agrees with ${host}`)
  return fault(`is ${Math.round(Math.abs(offMs) / 1_000)} s ${offMs < 0 ? 'behind' : 'ahead of'} ${host}`, remedy)
}

function askTimeService(): Finding {
  const asked = spawnSync('timedatectl', ['show', '--property=NTPSynchronized', '--value'], { encoding: 'utf8' })
  const synchronized = asked.stdout?.trim()
  if (synchronized === 'yes') return ok('is synchronized by the system')
  if (synchronized === 'no') return warning('is not synchronized by a time service, according to the system', remedy)
  return ok('not checked: no sign-in provider is configured, and this system has no timedatectl')
}
