import { existsSync, statSync } from 'node:fs'
import { type Config, readConfig } from '../../config/config.ts'
import { namedSurfaces } from '../../config/surface-address.ts'
import { isLocked, otherOwner } from '../data-directory.ts'
import { exitCodes } from '../start-fault.ts'
import { examineDatabase } from './databases.ts'
import { type Finding, fault, ok, type Subject } from './finding.ts'
import { examineKeys } from './keys.ts'
import { examineClock, examineDirectory, examineDisk } from './machine.ts'
import { examineProxy, examineService, occupyPorts, probeFor, releasePorts } from './network.ts'
import { examineSettings, isPublic } from './settings.ts'

/** A check's findings. If there are none, `passed` is printed. */
type Check = [about: Subject, findings: Iterable<Finding> | AsyncIterable<Finding>, passed?: string]

/**
 * `gatehouse doctor`: checks the service's environment and prints each finding with its remedy. Changes nothing,
 * whether or not the service is running. Resolves with 0, with 78 if a setting is invalid, or with 1 for any other
 * fault.
 */
export async function doctor(): Promise<number> {
  const reading = readConfig()
  if ('faults' in reading) {
    const remedy = 'correct it in the environment of the service; docs/operations.md lists all settings'
    for (const { message } of reading.faults) print('settings', fault(message, remedy))
    return exitCodes.configuration
  }
  const { config } = reading
  if (statSync(config.dataDir, { throwIfNoEntry: false })?.isDirectory() === false) {
    print('data', fault(`${config.dataDir} is no directory`, 'set DATA_DIR to one that the service user can write'))
    return exitCodes.configuration
  }
  const foreign = otherOwner(config.dataDir)
  if (foreign !== undefined) {
    // Opening another user's databases might leave files behind that the service can't use.
    print('data', fault(foreign, 'run doctor and all other commands as the service user'))
    return exitCodes.failed
  }
  let exitCode: number = exitCodes.ok
  for await (const [about, found, passed] of examine(config)) {
    const findings = await Array.fromAsync(found)
    if (findings.length === 0 && passed !== undefined) findings.push(ok(passed))
    // The reader of the output is gone, for example because the output was piped to `head`.
    if (process.stdout.destroyed) break
    for (const finding of findings) print(about, finding)
    if (findings.some(({ level }) => level === 'fault')) exitCode = exitCodes.failed
  }
  return exitCode
}

/** Runs the checks that apply, each when the caller asks for it. */
async function* examine(config: Config): AsyncIterable<Check> {
  const { dataDir, databaseUrls } = config
  const onSqlite = databaseUrls === undefined
  yield ['settings', examineSettings(config), 'all settings are valid']
  const noKeys = 'none yet; the first start creates those that are not set'
  yield ['keys', examineKeys(config), existsSync(dataDir) ? 'keys and data are only accessible to their user' : noKeys]
  if (onSqlite) {
    yield ['data', examineDirectory(config)]
    yield ['disk', examineDisk(config)]
    yield ['database', examineDatabase(config)]
  } else {
    const { examineDatabaseServer } = await import('./postgres.ts')
    yield ['database', examineDatabaseServer(config, databaseUrls)]
  }
  yield ['clock', await examineClock(config)]
  const probes = namedSurfaces(config).map(probeFor)
  if (isLocked(dataDir)) {
    yield ['ports', await examineService(config)]
    const reached = onSqlite
      ? 'the public URLs reach this service; stop it to check X-Forwarded-For as well'
      : 'the public URLs reach this service, at this or another node; X-Forwarded-For is not checked'
    yield ['proxy', await examineProxy(config, probes.filter(isPublic)), reached]
    return
  }
  try {
    yield ['ports', occupyPorts(probes), `${probes.map(({ port }) => port).join(', ')} are free`]
    const bound = probes.filter((probe) => isPublic(probe) && probe.listening !== undefined)
    yield ['proxy', await examineProxy(config, bound), 'requests to the public URLs arrive correctly']
  } finally {
    releasePorts(probes)
  }
}

function print(about: Subject, finding: Finding): void {
  const lines = [`${finding.level.padEnd(7)}  ${(finding.about ?? about).padEnd(8)}  ${finding.summary}`]
  if (finding.remedy !== undefined) lines.push(`${' '.repeat(19)}remedy: ${finding.remedy}`)
  process.stdout.write(`${lines.join('\n')}\n`)
}
