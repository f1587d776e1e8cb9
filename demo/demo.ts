import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Runtime } from '../clients/typescript/src/runtime.ts'
import { outputClosed } from '../src/commands/closed-output.ts'
import { firstSignal } from '../src/commands/first-signal.ts'
import { openLog } from '../src/commands/log.ts'
import { startService } from '../src/commands/serve/start-service.ts'
import { configured } from '../src/commands/start-fault.ts'
import { startClientApplication } from './client-application.ts'
import { guide } from './guide.ts'
import { liveADay, PastClock, writeStatusHistory } from './past.ts'
import { provision } from './provision.ts'

/** Settings that a real service may have left in the environment: the demo would fill its database and send its mail. */
const notOfTheDemo = {
  DATABASE_URL: '',
  SECRET_KEY: '',
  SECRET_KEY_PREVIOUS: '',
  OPERATOR_KEY: '',
  SMTP_URL: '',
  MAIL_FROM: '',
}

/**
 * `gatehouse demo` starts three things: the service on temporary data, a client application that signs users in, and a
 * bot runtime that receives webhooks. Like any third-party program, they use the service only over HTTP and WebSocket.
 * Resolves with 0 once the demo has been stopped and its data removed.
 */
export async function demo(): Promise<number> {
  process.umask(0o077)
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'))
  const cleanup: (() => unknown)[] = [() => rmSync(dataDir, { recursive: true, force: true })]
  const stopped = Promise.race([firstSignal(['SIGTERM', 'SIGINT', 'SIGHUP']), outputClosed()])
  try {
    // By default, logs only warnings and errors, to keep the terminal free for the guide.
    const config = configured({
      LOG_LEVEL: 'warn',
      ...urlsOfPorts(),
      ...process.env,
      ...notOfTheDemo,
      DATA_DIR: dataDir,
    })
    const log = openLog(config.logLevel)
    const addresses = {
      base: config.base.url,
      api: config.api.url,
      portal: config.portal.url,
      control: config.control.url,
    }

    const clock = new PastClock()
    say('Starting the service …')
    let service = await startService(config, log, undefined, clock.nowMs)
    cleanup.unshift(() => service.stop(2_000))
    say('Starting the client application …')
    const application = await startClientApplication(addresses.base)
    cleanup.unshift(() => application.stop())

    say('Provisioning users, bots and flows through the control API …')
    const { operatorKey } = service.keys
    const provisioned = await provision(addresses, operatorKey, application)
    say('Living through the last day …')
    await liveADay({ clock, addresses, operatorKey, provisioned })
    await service.stop(2_000)
    writeStatusHistory(dataDir, provisioned.bot.id)
    service = await startService(config, log)
    await application.register(provisioned.client)

    say('Connecting the bot runtime …')
    const runtime = await startBotRuntime(addresses.api, provisioned.runtimeKey)
    cleanup.unshift(() => runtime.leave())

    say(guide({ addresses, application: application.url, operatorKey, provisioned }))
    await stopped
    say('\nStopping and removing the demo data …')
    return 0
  } finally {
    for (const step of cleanup) await step()
  }
}

/** No proxy is in front of the demo, so a surface's port is also that of its URL, unless that is set. */
function urlsOfPorts(): Record<string, string> {
  const ports = ['BASE', 'API', 'PORTAL', 'CONTROL'].map((name) => [name, process.env[`${name}_PORT`]])
  return Object.fromEntries(
    ports.flatMap(([name, port]) => (port ? [[`${name}_URL`, `http://localhost:${port}`]] : [])),
  )
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/**
 * Starts a minimal bot runtime that uses the TypeScript client. It hosts every bot that its key allows, reports them as
 * online, and prints each webhook. Resolves once it hosts the bots.
 */
async function startBotRuntime(apiUrl: string, runtimeKey: string): Promise<Runtime> {
  const startedAtMs = Date.now()
  const runtime = connect({
    url: apiUrl,
    key: runtimeKey,
    instance: 'demo-1',
    agent: 'gatehouse-demo',
    heartbeat: () => ({
      ready: true,
      presence: 'online',
      uptimeMs: Date.now() - startedAtMs,
      guildCount: 2,
      shardCount: 1,
    }),
    onWebhook: ({ botId, path, attempt, text }) =>
      say(`  bot ${botId} · webhook ${path} · attempt ${attempt} · ${text().slice(0, 200)}`),
  })
  runtime.ended.catch((error) => say(`  bot runtime stopped: ${error.message}`))
  await runtime.hosting()
  return runtime
}
