import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, type TestContext } from 'node:test'
import type { Result } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { ada } from '../people.ts'
import { testProgram } from '../test-programs.ts'

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
  // Fewer processes: the network is part of the browser process, and a page reuses its renderer for the other origin.
  '--enable-features=NetworkServiceInProcess2',
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
]

// All tests in a file share one Chromium, because starting it takes longer than most of them.
let browser: Promise<Browser> | undefined
after(async () => (await browser)?.close())

/**
 * Opens a page in a headless Chromium with its own cookies and storage, and closes it when the test ends. Fails the
 * test if the page reports a script error, a failed request, or a violation of the content security policy.
 */
export async function openPage(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= launch()
  const context = await (await browser).newContext(options)
  t.after(() => context.close())
  // Only ends a wait that would never end: on a busy machine, a page can take long.
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const complaints: string[] = []
  context.on('weberror', (weberror) => {
    const error = String(weberror.error())
    // The browser shows a page without a fade if the page was ready before the fade could begin, or is left during it.
    if (!/Transition was (aborted|skipped)/.test(error)) complaints.push(error)
  })
  context.on('console', (message) => {
    const { url } = message.location()
    // The console reports rejected requests: navigations with any status, and form posts by scripts with status 422.
    // Some tests cause them on purpose.
    const text = message.text()
    if (text.includes('status of 422') || (text.includes('status of') && url === (message.page() ?? page).url())) return
    // The browser requests /favicon.ico if a page specifies no icon. An application's page may close before that
    // request completes.
    if (url.endsWith('/favicon.ico')) return
    // At the end of a test, the service can stop before the page closes, whose live stream then connects again.
    if (text.includes('ERR_CONNECTION_REFUSED') && /\/(live|events)(\?|$)/.test(url)) return
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${text} (${url})`)
  })
  t.after(() => assert.deepEqual(complaints, []))
  return page
}

/** Starts Chromium. Once in some thousand times, it crashes while it starts, and is then started again. */
function launch(): Promise<Browser> {
  const start = () => chromium.launch({ executablePath: testProgram('CHROMIUM'), args: flags })
  return start().catch(start)
}

/**
 * Defines a function that loads axe-core. A page keeps it as an init script: sending 650 kB for every document takes
 * longer than the checks themselves, and Chromium compiles the functions inside only when they are called.
 */
const axeLoader = `globalThis.loadAxe ??= () => {${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}}`
const pagesWithAxe = new WeakSet<Page>()

/**
 * Runs axe-core's rules on the page, or on the elements that match `within`, in its current colours: all rules, or only
 * contrast. Requires scripts.
 */
export async function axeViolations(page: Page, rules: 'all' | 'color-contrast', within = 'html'): Promise<Result[]> {
  await page.waitForLoadState()
  if (!pagesWithAxe.has(page)) {
    pagesWithAxe.add(page)
    await page.addInitScript(axeLoader)
    await page.evaluate(`${axeLoader}; undefined`)
  }
  const chosen = rules === 'all' ? '' : `, runOnly: ['${rules}']`
  // Without these options, axe-core also describes every element that passes and writes a selector for it.
  const options = `{ resultTypes: ['violations'], selectors: false${chosen} }`
  return page.evaluate<Result[]>(
    `(globalThis.axe ?? loadAxe(), axe.run('${within}', ${options}).then(({ violations }) => violations))`,
  )
}

/** Describes what axe-core finds wrong with the page: in light colours by all rules, in dark ones contrast only. */
export async function axeFaults(page: Page): Promise<string[]> {
  const faults: string[] = []
  // All rules but contrast give the same result for both schemes.
  for (const [colorScheme, rules] of [
    ['dark', 'color-contrast'],
    ['light', 'all'],
  ] as const) {
    // Without `reduce`, colours fade while the scheme changes, and their contrast is too low during the fade.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const { id, help, nodes } of await axeViolations(page, rules)) {
      for (const { html, failureSummary } of nodes)
        faults.push(`${colorScheme}, ${id}: ${help} ${html} ${failureSummary}`)
    }
  }
  return faults
}

/** Asserts that axe-core finds nothing, and that nothing is wider than a phone's screen. Requires scripts. */
export async function assertUsable(page: Page): Promise<void> {
  assert.deepEqual(await axeFaults(page), [], page.url())
  const desktop = page.viewportSize()
  await page.setViewportSize({ width: 360, height: 740 })
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(width <= 360, `${page.url()} is ${width} pixels wide on a phone of 360`)
  if (desktop !== null) await page.setViewportSize(desktop)
}

/** Signs Ada in to the account, on its page, in any language. Not every scene gives her the same email. */
export async function signInAsAda(
  page: Page,
  { baseUrl }: { baseUrl: string },
  { email, password }: Pick<typeof ada, 'email' | 'password'> = ada,
): Promise<void> {
  await page.goto(`${baseUrl}/sign-in`)
  await page.locator('#email').fill(email)
  await page.locator('#password').fill(password)
  await page.locator('#password').press('Enter')
  await page.waitForURL('**/account')
}

/** Signs Ada in to the account and to the portal, which has its own session, and opens the account's page. */
export async function signInEverywhere(page: Page, world: { baseUrl: string; portalUrl: string }): Promise<void> {
  await signInAsAda(page, world)
  await page.goto(world.portalUrl)
  await page.goto(`${world.baseUrl}/account`)
}
