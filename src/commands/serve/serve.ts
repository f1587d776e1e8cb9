import { spawn } from 'node:child_process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Logger } from 'pino'
import { type Config, readSystemdNotifications } from '../../config/config.ts'
import { requireWritable } from '../data-directory.ts'
import { openLog } from '../log.ts'
import { configured, exitCodes } from '../start-fault.ts'
import { type RunningService, StoppedWhileWaiting, startService } from './start-service.ts'

/** Time from a stop signal until connections with requests in flight are cut. */
const drainMs = 8_000
/** Maximum time from a stop signal to process exit, even if a database hangs or the start has not finished. */
const hardStopMs = 9_000

/**
 * `gatehouse serve`: runs the service until SIGTERM or SIGINT, drains it, and resolves with 0. A second signal ends the
 * process immediately. An uncaught exception is logged and also ends the process.
 *
 * @param signalled the first signal. It cancels a wait for the database, or takes effect once the service is up.
 * @throws StartFault if the service can't start.
 */
export async function serve(signalled: Promise<NodeJS.Signals>): Promise<number> {
  // Make databases and keys readable only by their owner.
  process.umask(0o077)
  const config = configured(undefined, requireWritable)
  const log = openLog(config.logLevel)
  endOnFault(log)
  signalled.then((signal) => setTimeout(() => stopNow(log, signal), hardStopMs))
  let running: RunningService
  try {
    running = await startService(config, log, signalled)
  } catch (error) {
    if (!(error instanceof StoppedWhileWaiting)) throw error
    log.info({ signal: await signalled }, 'stopped while waiting for the database')
    return exitCodes.ok
  }
  announce(config, running)
  log.info({ ...running.build, dataDir: config.dataDir }, 'ready')
  const systemd = systemdNotifier(log)
  systemd.ready()
  releaseStartupMemory()
  const signal = await signalled
  systemd.stopping()
  return stop(running, log, signal)
}

/** Prints the path of a new operator key, then the service's URLs, to standard error, which the operator sees. */
function announce(config: Config, { keys }: RunningService): void {
  if (keys.newOperatorKeyPath !== undefined) {
    process.stderr.write(
      `The operator key is in ${keys.newOperatorKeyPath}. Print it with node bin/gatehouse.mjs operator-key.\n`,
    )
  }
  const { base, api, portal, control } = config
  process.stderr.write(
    `Gatehouse is ready: base ${base.url}, api ${api.url}, portal ${portal.url}, control ${control.url}\n`,
  )
}

function endOnFault(log: Logger): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, 'uncaught exception, exiting')
      process.exit(exitCodes.failed)
    })
  }
}

async function stop(running: RunningService, log: Logger, signal: NodeJS.Signals): Promise<number> {
  log.info({ signal }, 'stopping: draining, no new connections')
  const outcome = await running.stop(drainMs)
  if (outcome === 'cut short') log.warn(`drain timed out after ${drainMs / 1_000} s, busy connections were cut`)
  log.info('stopped')
  return exitCodes.ok
}

/** Everything that was answered with success is on disk. Leases that were not released expire. */
function stopNow(log: Logger, signal: NodeJS.Signals): never {
  log.error(`not stopped ${hardStopMs / 1_000} s after ${signal}, exiting`)
  process.exit(exitCodes.ok)
}

const memoryReleaseDelayMs = 1_000

/** Frees startup memory after a second: V8 would keep it (decision 0032). Blocks the event loop for under 100 ms. */
function releaseStartupMemory(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc')
    const collect: NodeJS.GCFunction = runInNewContext('gc')
    setFlagsFromString('--no-expose-gc')
    // The collection drops hidden classes without an object. If there is no tick object now, `process.nextTick` takes
    // ten times as long for the rest of the process.
    process.nextTick(() => {})
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, memoryReleaseDelayMs).unref()
}

/** Tells systemd the state if the unit has `Type=notify`, by `systemd-notify`, as Node can't write to its socket. */
function systemdNotifier(log: Logger): { ready(): void; stopping(): void } {
  const notifications = readSystemdNotifications()
  function notify(state: string): void {
    if (notifications === undefined) return
    const failed = (reason: string) => log.warn({ state, reason }, 'systemd notification failed')
    spawn('systemd-notify', [state], { stdio: 'ignore' })
      .on('error', (error) => failed(error.message))
      .on('exit', (code, signal) => {
        if (code !== 0) failed(`exit code ${code ?? signal}`)
      })
      .unref()
  }
  return {
    /** Reports readiness. With `WatchdogSec`, keeps reporting: systemd restarts a service whose reports stop. */
    ready() {
      notify('READY=1')
      const watchdogMs = notifications?.watchdogMs
      if (watchdogMs !== undefined) setInterval(notify, watchdogMs, 'WATCHDOG=1').unref()
    },
    stopping: () => notify('STOPPING=1'),
  }
}
