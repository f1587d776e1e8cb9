import assert from 'node:assert/strict'
import { after, type TestContext } from 'node:test'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from './find-chromium.ts'

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

// All tests in a file share one Chromium, because starting it takes longer than most of them.
let browser: Promise<Browser> | undefined
after(async () => (await browser)?.close())

/**
 * Opens a page in a headless Chromium with its own cookies and storage, and closes it when the test ends. Fails the
 * test if the page reports a script error, a failed request, or a violation of the content security policy.
 */
export async function openPage(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= chromium.launch({ executablePath: chromiumPath(), args: flags })
  const context = await (await browser).newContext(options)
  t.after(() => context.close())
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const complaints: string[] = []
  context.on('weberror', (error) => complaints.push(String(error.error())))
  context.on('console', (message) => {
    const { url } = message.location()
    // The console reports rejected requests: navigations with any status, and form posts by scripts with status 422.
    // Some tests cause them on purpose.
    if (url === page.url() || message.text().includes('status of 422')) return
    // The browser requests /favicon.ico if a page specifies no icon. An application's page may close before that
    // request completes.
    if (url.endsWith('/favicon.ico')) return
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${message.text()} (${url})`)
  })
  t.after(() => assert.deepEqual(complaints, []))
  return page
}

function chromiumPath(): string {
  const found = findChromium()
  if (found === undefined)
    throw new Error('The browser tests need Chromium: install one, or set CHROMIUM to the path of one.')
  return found
}

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/**
 * Asserts that the page is usable. In light colours, axe-core must find no violations; in dark colours, contrast is
 * checked again. Nothing may be wider than a phone screen. Requires scripts.
 */
export async function assertUsable(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without `reduce`, colours fade while the scheme changes, and their contrast is too low during the fade.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // All other rules give the same result for both schemes.
    const rules = colorScheme === 'light' ? '{}' : "{ runOnly: ['color-contrast'] }"
    const violations = await page.evaluate<Violation[]>(`axe.run(${rules}).then(({ violations }) => violations)`)
    const told = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
    )
    assert.deepEqual(told, [], `${page.url()}, ${colorScheme}`)
  }
  const desktop = page.viewportSize()
  await page.setViewportSize({ width: 360, height: 740 })
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(width <= 360, `${page.url()} is ${width} pixels wide on a phone of 360`)
  if (desktop !== null) await page.setViewportSize(desktop)
}
