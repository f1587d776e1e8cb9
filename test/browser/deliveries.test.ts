import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import * as limits from '../../src/domain/limits/limits.ts'
import { withQueue } from '../support/bot-deliveries.ts'
import type { BotRuntime } from '../support/bot-runtime.ts'
import { openPage, signInAsAda } from '../support/browser/chromium.ts'
import { provision } from '../support/people.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import { RawConnection } from '../support/raw-http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { lacks } from '../support/test-programs.ts'
import { openPopulatedPage } from './populated-page.ts'

test('our choice: scripts show local times, select all rows, and keep selection and focus when the list updates itself; a click anywhere in a row opens it', async (t) => {
  const { world, page, events } = await openPopulatedPage(t, { timezoneId: 'Asia/Kolkata' })
  await page.goto(`${world.baseUrl}/bots/lantern/deliveries`)
  await page.getByText('Live', { exact: true }).waitFor()

  const time = page.locator('.deliveries tbody time').first()
  assert.equal(await time.textContent(), '2026-01-05 17:30:00')
  assert.equal(await time.getAttribute('data-utc'), '2026-01-05 12:00:00 UTC')

  await page.getByText(/^Times in Asia\//).waitFor()

  const rows = page.locator('.deliveries input[name="event"]')
  await page.getByLabel('Select all').check()
  await page.getByText('2 selected').waitFor()
  await rows.first().uncheck()
  await page.getByText('1 selected').waitFor()
  await page.locator(`.deliveries a[href$="/${events.done}"]`).focus()

  await fetch(`${world.apiUrl}/lantern/deploys`, { method: 'POST', body: '{"version":9}' })
  await world.clock.advance(limits.deliveryStreamPollMs)
  await page.getByText('"version":9').waitFor()
  assert.equal(await rows.count(), 3)
  const selected = await rows.evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).checked))
  assert.deepEqual(selected, [false, false, true])
  await page.getByText('1 selected').waitFor()
  assert.equal(await time.textContent(), '2026-01-05 17:30:03')
  const focused = await page.evaluate(() => (document.activeElement as HTMLAnchorElement | null)?.href)
  assert.equal(focused?.split('/').at(-1), events.done)

  // The whole row is the link, also where the row has no text.
  await page.locator('.deliveries td.took').last().click({ force: true })
  await page.getByRole('heading', { name: /^Webhook ev/ }).waitFor()
})

test('our choice: with scripts, the hours of the chart and the custom range are local times', async (t) => {
  const { world, page } = await openPopulatedPage(t, { timezoneId: 'Asia/Kolkata' })
  await page.goto(`${world.baseUrl}/bots/lantern/deliveries?since=hour`)
  await page.getByText('Show as table').click()
  await page.getByRole('link', { name: '17:30', exact: true }).click()
  await page.waitForURL('**/deliveries?from=2026-01-05T12%3A00&until=2026-01-05T13%3A00')
  assert.equal(await page.locator('[name="from"]').inputValue(), '2026-01-05T17:30')
  assert.equal(await page.getByText('(UTC)').first().isVisible(), false)
  assert.equal(await page.locator('.deliveries tbody tr').count(), 2)

  await page.locator('[name="until"]').fill('2026-01-05T17:45')
  await page.getByRole('button', { name: 'Apply filter' }).click()
  await page.waitForURL((url) => url.searchParams.get('until') === '2026-01-05T12:15')
  assert.equal(new URL(page.url()).searchParams.get('from'), '2026-01-05T12:00')
  assert.equal(await page.locator('[name="until"]').inputValue(), '2026-01-05T17:45')
})

test('our choice: without scripts, the custom range is in UTC, and the page says so', async (t) => {
  const { world, browser } = await openPopulatedWorld(t)
  const { text } = await browser.get(`${world.baseUrl}/bots/lantern/deliveries?since=hour&from=2026-01-05T12:00`)
  assert.match(text, /From <span data-utc-only>\(UTC\)<\/span>/)
  assert.match(text, /Times in UTC/)
  // The range replaces the choice of the last hour.
  assert.match(text, /<option value="any" selected>/)
})

test('the curl command on the page of a webhook sends the same bytes and headers, with the flow’s key and signature, and nothing if the body’s file is missing', async (t) => {
  if (lacks(t, 'bash', 'curl', 'openssl')) return
  const { world, connect } = await withQueue(t)
  const runtime = await connect()
  const page = await openPage(t)
  await signInAsAda(page, world)

  const long = 'x'.repeat(3_000)
  const originals = []
  for (const [body, ...headers] of [
    ['{"a":1}\n', 'Content-Type: application/json', 'User-Agent: Bär/1 (€ 5; \'it"s` $HOME 100%)', 'X-Request-Id: ä-1'],
    ['a\r\nb\r\n'],
    ['a\rb', 'Content-Type: text/plain'],
    ['\ufeff\n\n  "$HOME" `x` \\n %s\t!\n\n', 'User-Agent: \xe9t\xe9/1 \\ \'%s" $x', 'Content-Type:'],
    [Buffer.from([0, 255, 13, 10]), 'Content-Type: application/octet-stream', 'User-Agent:'],
    ['', "X-Request-Id: 'r'1"],
    [long, 'User-Agent: a\tb'],
    ['@/etc/passwd', 'Content-Type: @x; charset="utf-8"'],
  ] as const) {
    const about = JSON.stringify([String(body).slice(0, 20), headers])
    originals.push({ about, original: await sentTo(t, world.apiUrl, runtime, { body, headers }) })
  }
  const [key, secret] = ['a-key-of-some-length-0123456789', 'hush-hush']
  const webhook = { path: 'orders', requiresKey: true, key, signature: { preset: 'github', secret } }
  await provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', { kind: 'event', name: 'Orders', webhook })
  const env = { ...process.env, GATEHOUSE_FLOW_KEY: key, GATEHOUSE_SIGNING_SECRET: secret }
  for (const { about, original } of originals) {
    await page.goto(`${world.baseUrl}/bots/bot-1/deliveries/${original.id}`)
    const command = (await page.locator('#request details pre code').textContent()) ?? ''
    const folder = temporaryFolder(t)
    const run = () => promisify(execFile)('bash', ['-c', `${command} -sS`], { cwd: folder, env })
    if (command.includes('.bin')) {
      await assert.rejects(run(), /No such file/, about)
      const download = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download original body' }).click()
      const file = await download
      await file.saveAs(join(folder, file.suggestedFilename()))
    }
    assert.match((await run()).stdout, /"ok": ?true/, `${about}: ${command}`)
    assert.deepEqual({ ...(await nextOf(runtime)), id: original.id }, original, `${about}: ${command}`)
  }
})

/** Sends a webhook as these bytes, and returns what reaches the runtime. */
async function sentTo(
  t: TestContext,
  apiUrl: string,
  runtime: BotRuntime,
  { body, headers }: { body: string | Buffer; headers: readonly string[] },
) {
  const bytes = Buffer.from(body)
  const connection = await RawConnection.to(t, apiUrl)
  // A value with characters beyond Latin-1, or the one of a Latin-1 sender, is written as its own bytes.
  const lines = headers.map((line) => Buffer.from(line, line.includes('\xe9t') ? 'latin1' : 'utf8'))
  const head = ['POST /bot-1/orders HTTP/1.1', `Host: ${new URL(apiUrl).host}`, `Content-Length: ${bytes.length}`]
  const parts = [...head.map((line) => Buffer.from(line)), ...lines, Buffer.alloc(0)]
  connection.write(Buffer.concat([...parts.flatMap((part) => [part, Buffer.from('\r\n')]), bytes]))
  assert.equal((await connection.answer()).status, 202)
  return nextOf(runtime)
}

async function nextOf(runtime: BotRuntime) {
  const { id, path, headers, body, delivery } = await runtime.next('dispatch')
  runtime.send({ type: 'ack', deliveries: [delivery] })
  return { id, path, headers, body }
}
