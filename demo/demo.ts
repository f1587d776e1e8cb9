import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputClosed } from '../src/commands/closed-output.ts'
import { configured } from '../src/commands/configured.ts'
import { firstSignal } from '../src/commands/first-signal.ts'
import { openLog } from '../src/commands/log.ts'
import { startService } from '../src/commands/serve/start-service.ts'
import { startBotRuntime } from './bot-runtime.ts'
import { startClientApplication } from './client-application.ts'
import { guide } from './guide.ts'
import { provision } from './provision.ts'

/**
 * `gatehouse demo`: the service on throw-away data with something in it to try, a client application that signs
 * its user in and a bot runtime that takes the webhooks. Everything but the start goes over HTTP and WebSocket,
 * as it would from anybody's program. Resolves with 0 once it was told to stop and has removed the data.
 */
export async function demo(): Promise<number> {
  process.umask(0o077)
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'))
  const undo: (() => unknown)[] = [() => rmSync(dataDir, { recursive: true, force: true })]
  const stopped = Promise.race([firstSignal(['SIGTERM', 'SIGINT', 'SIGHUP']), outputClosed()])
  try {
    // The terminal belongs to the guide: of the log it shows what needs attention.
    const config = configured({ LOG_LEVEL: 'warn', ...process.env, DATA_DIR: dataDir })
    say('Starting the service …')
    const service = await startService(config, openLog(config.logLevel))
    undo.unshift(() => service.stop(2_000))
    const addresses = {
      base: config.base.url,
      api: config.api.url,
      portal: config.portal.url,
      control: config.control.url,
    }

    say('Starting the client application …')
    const application = await startClientApplication(addresses.base)
    undo.unshift(() => application.stop())

    say('Setting up people, bots and flows through the control API …')
    const things = await provision(addresses.control, service.keys.operatorKey, application)
    await application.register(things.client)

    say('Connecting the bot runtime …')
    const runtime = await startBotRuntime(addresses.api, things.runtimeKey, say)
    undo.unshift(() => runtime.leave())

    say(guide({ addresses, application: application.url, operatorKey: service.keys.operatorKey, things }))
    await stopped
    say('\nStopping, and removing the data of the demo …')
    return 0
  } finally {
    for (const step of undo) await step()
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
