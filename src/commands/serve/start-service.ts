import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Build } from '../../domain/build.ts'
import { systemClock } from '../../domain/clock.ts'
import { SecretKeyMismatch } from '../../domain/ids-and-secrets.ts'
import { DatabaseUnreachable, type HostFailure, StoreUnavailable } from '../../domain/store-unavailable.ts'
import type { Host } from '../../listeners/app-host.ts'
import { waitingControlHost } from '../../listeners/control.ts'
import { buildHosts } from '../../listeners/hosts.ts'
import { openService } from '../../service.ts'
import { DatabaseFileError, sqliteCodes } from '../../storage/sqlite/database-files.ts'
import { readBuild } from '../build.ts'
import { halfRestored, lockDataDirectory, requireBothDatabases } from '../data-directory.ts'
import { type Keys, otherSecretKey, readOrCreateKeys } from '../keys.ts'
import { exitCodes, failed, misconfigured, reasonOf, refuse, StartFault, unboundPort } from '../start-fault.ts'

export interface RunningService {
  build: Build
  keys: Keys
  /**
   * Stops the service: finishes requests in flight within `drainMs`, closes the stores and releases the data directory.
   * With a shared database, keeps serving for the first three of these seconds, so that load balancers can switch.
   * Resolves with `drained` if all requests finished in time. Otherwise, connections stay open until the process ends.
   */
  stop(drainMs: number): Promise<'drained' | 'cut short'>
}

/** Short, so that a stalled client can't delay the shutdown. At a stop, senders have half of the time left. */
const closingGrace = { silentMs: 500, sendingMs: 4_000 }

/** Time for which a node still serves after its `/readyz` turns 503: a poll every second then fails twice. */
const serveAfterNotReadyMs = 3_000

/**
 * Starts the whole service: locks the data directory, reads or creates the keys, opens the stores and listens on the
 * four addresses. If a step fails, undoes the previous ones. Waits while the database of DATABASE_URL is unreachable;
 * meanwhile, only the control surface responds.
 *
 * @param stopped aborts the wait when it settles.
 * @param nowMs replaces the system's time, in the demo.
 * @throws StartFault with a fix for the operator; StoppedWhileWaiting.
 */
export async function startService(
  config: Config,
  log: Logger,
  stopped?: Promise<unknown>,
  nowMs?: () => number,
): Promise<RunningService> {
  const directory = lockDataDirectory(config.dataDir)
  const undo: (() => unknown)[] = [() => directory.release()]
  const build = readBuild()
  try {
    refuse(halfRestored(config.dataDir))
    const keys = readOrCreateKeys(config)
    const newKeyPath = keys.newOperatorKeyPath
    // Nobody has been told its path. The next start creates another key.
    if (newKeyPath !== undefined) undo.unshift(() => rmSync(newKeyPath, { force: true }))
    if (config.databaseUrls === undefined && requireBothDatabases(config.dataDir)) {
      log.info({ dataDir: config.dataDir }, 'first start: no data in DATA_DIR')
    }
    let unreachable: readonly HostFailure[] = []
    // Until the database is reachable, only this temporary control surface responds: the node is live but not ready.
    const control = config.databaseUrls && (await waitingControlHost({ config, log, build }, () => unreachable))
    const closeControl = () => control?.close({ silentMs: 0, sendingMs: 0 })
    undo.unshift(closeControl)
    if (control !== undefined) await listen(control, config)
    const open = () => openService({ config, keys, log, build, ...(nowMs && { clock: { ...systemClock, nowMs } }) })
    const onUnreachable = (failures: readonly HostFailure[]) => {
      unreachable = failures
    }
    const whenReachable = () => untilReachable(open, onUnreachable, { config, log }, stopped)
    const service = await opened(control === undefined ? open : whenReachable, config)
    undo.unshift(() => service.close())
    const hosts = await buildHosts(service)
    for (const host of hosts) {
      undo.unshift(() => host.close(closingGrace))
      // The two control surfaces use the same port, so the temporary one has to close first.
      if (host.name === 'control') await closeControl()
      await listen(host, config)
    }
    return {
      build,
      keys,
      async stop(drainMs) {
        const servesForMs = config.databaseUrls === undefined ? 0 : serveAfterNotReadyMs
        if (servesForMs > 0) service.gatewayHealth.close()
        await sleep(servesForMs)
        const leftMs = drainMs - servesForMs
        const grace = { ...closingGrace, sendingMs: leftMs / 2 }
        const drained = Promise.all(hosts.map((host) => host.close(grace))).then(() => 'drained' as const)
        const outcome = await Promise.race([drained, sleep(leftMs, 'cut short' as const, { ref: false })])
        await service.close()
        directory.release()
        return outcome
      },
    }
  } catch (error) {
    for (const step of undo) await step()
    throw error
  }
}

async function opened<Opened>(open: () => Promise<Opened>, config: Config): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof StoppedWhileWaiting) throw error
    if (error instanceof SecretKeyMismatch) refuse(otherSecretKey(config))
    if (error instanceof DatabaseFileError) throw unusableFile(error)
    const what = config.databaseUrls === undefined ? `the data in ${config.dataDir}` : 'the database of DATABASE_URL'
    throw failed(`${what} can't be opened: ${reasonOf(error)}`, error)
  }
}

/** The service manager restarts the service after a fault that can end by itself. */
function unusableFile(error: DatabaseFileError): StartFault {
  const { busy, readOnly, corrupt, full, notADatabase } = sqliteCodes
  const { failed, configuration } = exitCodes
  const known: Record<number, [exitCode: number, remedy: string]> = {
    [busy]: [failed, 'close the program that uses it'],
    [full]: [failed, 'free disk space'],
    [readOnly]: [configuration, 'this user must be able to write it'],
    [corrupt]: [configuration, 'restore both databases from a backup'],
    [notADatabase]: [configuration, 'restore both databases from a backup'],
  }
  const [exitCode, remedy] = known[error.code] ?? [failed, 'check the disk']
  return new StartFault(exitCode, [`${error.message}; ${remedy}`], error)
}

async function listen(host: Host, config: Config): Promise<void> {
  try {
    await host.listen()
  } catch (error) {
    const { summary, remedy } = unboundPort(host.name.toUpperCase(), config[host.name], error)
    const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    throw (isInUse ? failed : misconfigured)(`${summary}; ${remedy}`, error)
  }
}

const retryMs = 1_000

/** Thrown when the process receives a stop signal while it waits for the database. */
export class StoppedWhileWaiting extends Error {}

/**
 * Calls `open` every second until the database is reachable. If the process exited instead, its service manager would
 * hit its restart limit and leave the node down.
 *
 * @param onUnreachable receives why no host accepts writes. The reasons are logged and printed whenever they change.
 * @throws any other error from `open`; StoppedWhileWaiting once `stopped` resolves.
 */
async function untilReachable<Opened>(
  open: () => Promise<Opened>,
  onUnreachable: (failures: readonly HostFailure[]) => void,
  { config, log }: { config: Config; log: Logger },
  stopped: Promise<unknown> = new Promise(() => {}),
): Promise<Opened> {
  const stop = stopped.then(() => {
    throw new StoppedWhileWaiting()
  })
  stop.catch(() => {})
  for (let told = ''; ; await Promise.race([sleep(retryMs), stop])) {
    try {
      const opened = await Promise.race([open(), stop])
      if (told !== '') log.info('database reached, starting')
      return opened
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      const failures = failuresIn(error, config)
      onUnreachable(failures)
      const reasons = failures.map(({ host, reason }) => `${host}: ${reason}`).join('; ')
      if (reasons === told) continue
      told = reasons
      log.warn({ database: failures }, 'waiting for the database')
      process.stderr.write(`gatehouse: waiting for the database (${reasons})\n`)
    }
  }
}

function failuresIn(error: StoreUnavailable, { databaseUrls = [] }: Config): readonly HostFailure[] {
  if (error instanceof DatabaseUnreachable) return error.hosts
  return databaseUrls.map((url) => ({ host: new URL(url).host, reason: reasonOf(error.cause ?? error) }))
}
