import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { ClientProcess } from '../../clients/conformance/client-process.ts'
import { makeRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { provisionListeningBot } from '../support/listening-bot.ts'
import { openWorld } from '../support/world.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const path = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`

/** Packs a copy of the client as for publishing and installs it, offline, in an empty project. */
async function installedProject(t: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-package-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(root, 'clients/typescript'), join(folder, 'clients/typescript'), { recursive: true })
  cpSync(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"name": "project", "private": true, "type": "module"}')
  const env = { ...process.env, PATH: path }
  await run('npm', ['pack', '--pack-destination', folder], { cwd: join(folder, 'clients/typescript'), env })
  const install = ['install', '--offline', '--no-audit', '--no-fund', '../gatehouse-runtime-0.1.0.tgz']
  await run('npm', install, { cwd: project, env })
  return project
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
import { type DiscordClient, discordReports } from '@gatehouse/runtime/discord'

const clients = new Map<string, DiscordClient>()
export function start(seen: (event: WebhookEvent) => void) {
  return connect({
    url: 'http://127.0.0.1:1',
    key: 'svc_rk_none',
    instance: 'one',
    heartbeat: discordReports((botId) => clients.get(botId)),
    onWebhook: (event, { retryIn }) => (event.attempt > 3 ? retryIn(1_000) : seen(event)),
  })
}
// @ts-expect-error: without a handler it is no runtime
connect({ url: 'http://127.0.0.1:1', key: 'svc_rk_none', instance: 'one' })
`

test('the package installs offline, type-checks and runs; its example forwards a webhook', async (t) => {
  const project = await installedProject(t)
  writeFileSync(join(project, 'usage.ts'), usage)
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(strictest))
  const readme = readFileSync(join(root, 'clients/typescript/README.md'), 'utf8')
  writeFileSync(
    join(project, 'sample.ts'),
    `declare const process: { env: Record<string, string | undefined>; once(name: string, then: () => void): void }\n${/```ts\n(.+?)```/s.exec(readme)?.[1]}`,
  )
  await run('tsc', [], { cwd: project, env: { ...process.env, PATH: path } }).catch(({ stdout }) => assert.fail(stdout))

  const posted: string[] = []
  const sink = createServer(async (request, response) => {
    for await (const chunk of request) posted.push(String(chunk))
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  t.after(() => sink.close())
  const world = await openWorld(t)
  const bot = await provisionListeningBot(world.service)
  const { key } = await makeRuntime(world)
  cpSync(join(root, 'clients/typescript/example/bot.ts'), join(project, 'bot.ts'))
  const example = new ClientProcess([process.execPath, join(project, 'bot.ts')], {
    GATEHOUSE_URL: world.apiUrl,
    GATEHOUSE_RUNTIME_KEY: key,
    POST_TO: `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`,
  })
  t.after(() => example.kill())
  const answer = await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: 'Version 7 is out' })
  assert.equal(answer.status, 202)
  await eventually(() => (posted.length > 0 ? true : undefined))
  assert.deepEqual(posted, ['{"content":"hooks/orders: Version 7 is out"}'])
  example.terminate()
  assert.equal(await example.exitCode('it did not leave'), 0)
})
