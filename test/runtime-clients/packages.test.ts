import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { startSamples } from '../../src/surfaces/owner-bots/runtimes/start-samples.ts'
import { hostedBot, post } from '../support/bot-runtime.ts'
import { buildPackages, builtPackages, version } from '../support/built-packages.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { ended, startProgram, stopped } from '../support/gatehouse-process.ts'
import { serve } from '../support/local-server.ts'
import { provision } from '../support/people.ts'
import { python } from '../support/python.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { pluck } from '../support/together.ts'
import { openWorld } from '../support/world.ts'

const root = join(import.meta.dirname, '../..')
const building = builtPackages()

/** A service that serves the built packages, a bot, and an empty folder outside the repository. */
async function openSetting(t: TestContext) {
  const world = await openWorld(t, { PACKAGES_DIR: await building }, { version })
  const { bot, key } = await hostedBot(world)
  const folder = temporaryFolder(t)
  return { world, bot, key, folder, url: (file: string) => `${world.portalUrl}/packages/${file}` }
}

/** Variables for npm and pip without a registry, which the packages must not need. Python has `websockets` already. */
async function withoutRegistries(t: TestContext): Promise<Record<string, string>> {
  const where = 'import os, websockets; print(os.path.dirname(os.path.dirname(websockets.__file__)))'
  const { stdout } = await ended(startProgram(t, [python(), '-c', where], {}), 0)
  return {
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
    PIP_NO_DEPS: '1',
    PIP_NO_INDEX: '1',
    PYTHONPATH: stdout.trim(),
    PATH: [join(root, 'node_modules/.bin'), dirname(python()), process.env.PATH].join(delimiter),
  }
}

async function npmInstall(t: TestContext, folder: string, ...words: string[]): Promise<void> {
  await ended(startProgram(t, ['npm', 'install', ...words], await withoutRegistries(t), { cwd: folder }), 0)
}

/** Settings of a project that lacks Node’s types and also type-checks imported declarations. */
const strictest = {
  compilerOptions: {
    noEmit: true,
    strict: true,
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: [],
  },
  files: ['usage.ts', 'sample.ts'],
}

const usage = `
import { connect, type WebhookEvent } from '@gatehouse/runtime'
import { type DiscordClient, discordReports, discordWebhooks } from '@gatehouse/runtime/discord'

interface Client extends DiscordClient { send(text: string): Promise<void> }
const clients = new Map<string, Client>()
const clientOf = (botId: string) => clients.get(botId)
export function start(seen: (event: WebhookEvent) => void) {
  connect({
    url: 'http://127.0.0.1:1',
    key: 'svc_rk_none',
    instance: 'two',
    heartbeat: discordReports(clientOf),
    onWebhook: discordWebhooks(clientOf, (client, event) => client.send(event.text())),
  })
  return connect({
    url: 'http://127.0.0.1:1',
    key: 'svc_rk_none',
    instance: 'one',
    onWebhook: (event, { retryIn }) => (event.attempt > 3 ? retryIn(1_000) : seen(event)),
  })
}
// @ts-expect-error: onWebhook is required
connect({ url: 'http://127.0.0.1:1', key: 'svc_rk_none', instance: 'one' })
`

describe('our choice: client packages from the portal (decision 0099)', () => {
  test('two builds of the client packages from the same sources have the same bytes', async (t) => {
    const digests = (folder: string) =>
      readdirSync(folder).map((file) => [file, hash('sha256', readFileSync(join(folder, file)))])
    const [first, second] = [digests(await building), digests(await buildPackages(t))]
    const packages = [`gatehouse-cli-${version}.tgz`, `gatehouse-runtime-${version}.tgz`]
    const wheel = `gatehouse_runtime-${version}-py3-none-any.whl`
    assert.deepEqual(pluck(first, 0), [...packages, wheel])
    assert.deepEqual(second, first)
  })

  test('the TypeScript runtime installs by its URL, type-checks and runs; its example forwards a webhook', async (t) => {
    const { world, bot, key, folder, url } = await openSetting(t)
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}')
    await npmInstall(t, folder, url(`gatehouse-runtime-${version}.tgz`))
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    assert.deepEqual(dependencies, { '@gatehouse/runtime': url(`gatehouse-runtime-${version}.tgz`) })
    writeFileSync(join(folder, 'usage.ts'), usage)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(strictest))
    const readme = readFileSync(join(root, 'clients/typescript/README.md'), 'utf8')
    const sample = `declare const process: { env: Record<string, string | undefined>; once(name: string, then: () => void): void }\n${/```ts\n(.+?)```/s.exec(readme)?.[1]}`
    writeFileSync(join(folder, 'sample.ts'), sample)
    await ended(startProgram(t, [join(root, 'node_modules/.bin/tsc')], {}, { cwd: folder }), 0)

    const posted: string[] = []
    const sink = await serve(t, (_request, response, body) => {
      posted.push(body)
      response.writeHead(204).end()
    })
    cpSync(join(root, 'clients/typescript/example/bot.ts'), join(folder, 'bot.ts'))
    const env = { GATEHOUSE_URL: world.apiUrl, GATEHOUSE_RUNTIME_KEY: key, POST_TO: `${sink}/` }
    const example = startProgram(t, [process.execPath, join(folder, 'bot.ts')], env)
    await post(world, bot, 'Version 7 is out')
    await eventually(() => posted[0])
    assert.deepEqual(posted, ['{"content":"hooks/orders: Version 7 is out"}'])
    await stopped(example)
  })

  for (const language of ['Node', 'Python']) {
    test(`the ${language} commands beside a new runtime key install a client and start a bot that prints webhooks`, async (t) => {
      const { world, bot, key, folder } = await openSetting(t)
      const { apiUrl, portalUrl } = world
      const samples = startSamples({ apiUrl, portalUrl, version, botId: bot.botId, key })
      const commands = samples.find((sample) => sample.language === language)?.code ?? ''
      // `exec` makes the bot the process that is stopped below.
      const pasted = `cd ${folder}\n${commands.replace(/GATEHOUSE_RUNTIME_KEY=.*$/, 'exec env $&')}`
      const runtime = startProgram(t, ['sh', '-c', pasted], await withoutRegistries(t))
      await runtime.waitForOutput(/connected/i)
      await post(world, bot, 'Version 7 is out')
      await runtime.waitForOutput(`${bot.botId} ${bot.path} Version 7 is out`)
      runtime.signal('SIGINT')
      const { stdout, stderr } = await ended(runtime, 0)
      assert.doesNotMatch(stdout + stderr, /Traceback| {4}at /)
      if (language === 'Node') return
      const pip = [join(folder, '.venv/bin/pip'), 'show', 'gatehouse-runtime'] as const
      const shown = (await ended(startProgram(t, pip, {}), 0)).stdout
      for (const line of [`Version: ${version}`, 'License: Apache-2.0', 'Requires: websockets']) {
        assert.ok(shown.includes(`\n${line}\n`), shown)
      }
    })
  }

  test('the CLI installs by its stable URL, and listen, send and status work outside the repository', async (t) => {
    const { world, bot, key, folder, url } = await openSetting(t)
    await npmInstall(t, folder, '--global', '--prefix', folder, url('gatehouse-cli-latest.tgz'))
    const gatehouse = (words: readonly string[], env = {}) =>
      startProgram(t, [join(folder, 'bin/gatehouse'), ...words], env)
    assert.deepEqual(await ended(gatehouse(['--version']), 0), { stdout: `${version}\n`, stderr: '' })

    const words = ['listen', '--url', world.apiUrl, '--bot', bot.botId]
    const listening = gatehouse(words, { GATEHOUSE_RUNTIME_KEY: key })
    await listening.waitForOutput('waiting for webhooks')

    const signature = { preset: 'github', secret: 'a signing secret' }
    const flow = { kind: 'event', name: 'Orders', webhook: { path: bot.path, requiresKey: false, signature } }
    assert.equal((await provision(world, 'PUT', `/v1/bots/${bot.botId}/flows/${bot.flowId}`, flow)).status, 200)
    const webhook = `${world.apiUrl}/${bot.botId}/${bot.path}`
    const refused = await ended(gatehouse(['send', webhook]), 1)
    assert.equal(refused.stdout.split('\n')[1], '{"error": "Unauthorized."}')
    const signing = ['send', webhook, '--sign', 'github', '--data', '{"order": 7}']
    const signed = await ended(gatehouse(signing, { GATEHOUSE_SIGNING_SECRET: 'a signing secret' }), 0)
    assert.equal(signed.stdout.split('\n')[1], '{"ok": true}')
    await advanceUntil(world.clock, () => listening.stdout().includes('"order": 7'))
    await stopped(listening)

    const report = { stdout: 'greeter: offline\nHosting   on\nReported  never\n', stderr: '' }
    assert.deepEqual(await ended(gatehouse(['status', `${world.baseUrl}/botstatus/${bot.botId}`]), 3), report)
  })
})
