import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { makeRuntime } from '../support/bot-runtime.ts'
import { builtPackages } from '../support/built-packages.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { deadLetterPage, openWebhook, replay, sendWebhook } from './announcing-bot.ts'
import { root } from './example-program.ts'

test('our choice: the quick start’s bot receives a webhook and rejects another, and receives the replay once its code lists the channel', async (t) => {
  const { world, bot, webhook } = await openWebhook(t, { PACKAGES_DIR: await builtPackages() })
  const { key } = await makeRuntime(world, [bot.botId])
  const folder = temporaryFolder(t)
  const npm = (...words: string[]) => promisify(execFile)('npm', words, { cwd: folder })
  await npm('init', '-y')
  await npm('pkg', 'set', 'type=module')
  await npm('install', `${world.portalUrl}/packages/gatehouse-runtime-latest.tgz`)
  cpSync(join(root, 'examples/bot/bot.js'), join(folder, 'bot.js'))
  const start = async () => {
    const env = { GATEHOUSE_URL: world.apiUrl, GATEHOUSE_RUNTIME_KEY: key }
    const program = startProgram(t, ['node', 'bot.js'], env, { cwd: folder })
    await program.waitForOutput('Hosting harbor. Press Ctrl-C to stop.')
    return program
  }

  const first = await start()
  await sendWebhook(webhook, '{"channel": "deploys", "text": "Version 7 is out"}')
  await first.waitForOutput('#deploys: Version 7 is out')
  await sendWebhook(webhook, '{"channel": "ops", "text": "Disk full"}')
  assert.match((await deadLetterPage(world, bot)).text, /unknown channel ops/)
  first.signalGroup('SIGINT')
  await first.exited

  const code = readFileSync(join(folder, 'bot.js'), 'utf8')
  writeFileSync(
    join(folder, 'bot.js'),
    code.replace("const channels = ['deploys']", "const channels = ['deploys', 'ops']"),
  )
  const second = await start()
  await replay(world, bot)
  await second.waitForOutput('#ops: Disk full')
})
