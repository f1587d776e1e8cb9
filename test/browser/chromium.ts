import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Opens a page in a headless Chromium of its own, closed when the test ends. Whatever the page finds wrong (a
 * script's fault, an address that fails, a breach of the content security policy) fails the test.
 */
export async function openPage(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: flags })
  t.after(() => browser.close())
  const context = await browser.newContext(options)
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const complaints: string[] = []
  context.on('weberror', (error) => complaints.push(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  t.after(() => assert.deepEqual(complaints, []))
  return page
}

/** Where the Chromium to test with lies: `CHROMIUM`, else the first one on the `PATH`. */
function chromiumPath(): string {
  const { CHROMIUM: given, PATH = '' } = process.env
  if (given !== undefined && given !== '') return given
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const found = names
    .flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)))
    .find((file) => existsSync(file))
  if (found === undefined) {
    throw new Error('The browser tests need Chromium: install one, or set CHROMIUM to the path of one.')
  }
  return found
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Asserts that axe-core finds nothing serious or critical on the page, in the colours it is shown in. */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe)
  const violations = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself on the window of the page under test
    const { violations } = await (globalThis as any).axe.run()
    return violations as {
      id: string
      impact: string
      help: string
      nodes: { html: string; failureSummary: string }[]
    }[]
  })
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const told = serious.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  )
  assert.deepEqual(told, [], `at ${page.url()}`)
}
