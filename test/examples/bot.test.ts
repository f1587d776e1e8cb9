import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeRuntime } from '../support/bot-runtime.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { deadLetterPage, openWebhook, replay, sendWebhook } from './announcing-bot.ts'
import { root } from './example-program.ts'

test('our choice: the quick start’s bot receives a webhook, rejects one, and receives its replay after the change of the quick start', async (t) => {
  const checkout = mkdtempSync(join(tmpdir(), 'gatehouse-example-'))
  t.after(() => rmSync(checkout, { recursive: true, force: true }))
  symlinkSync(join(root, 'clients'), join(checkout, 'clients'))
  const folder = join(checkout, 'examples/bot')
  cpSync(join(root, 'examples/bot'), folder, { recursive: true })
  const { world, bot, webhook } = await openWebhook(t)
  const { key } = await makeRuntime(world, [bot.botId])
  const start = async () => {
    const program = startProgram(
      t,
      ['npm', 'start'],
      { GATEHOUSE_URL: world.apiUrl, GATEHOUSE_RUNTIME_KEY: key },
      folder,
    )
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
