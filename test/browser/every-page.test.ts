import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sourceLanguage } from '../../src/domain/language.ts'
import { ownLanguages } from '../../src/pages/catalogues.ts'
import { axeFaults, openPage, signInAsAda, signInEverywhere } from '../support/browser/chromium.ts'
import { hiddenFocus } from '../support/browser/page-user.ts'
import { withVirtualAuthenticator } from '../support/browser/virtual-authenticator.ts'
import { serve } from '../support/local-server.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import type { World } from '../support/world.ts'
import { everyPage } from './every-page.ts'

const bytesOnTheWire = 60_000
/** Widths in CSS pixels: a small phone, a 1280-pixel desktop zoomed to 200 %, and a tablet. */
const widths = [320, 640, 800]

interface Shifts {
  shifted: number
}
declare const shifts: Shifts

describe('our choice: every page', () => {
  for (const part of ['strangers', 'baseUrl', 'portalUrl'] as const) {
    test(`every page is accessible, small and stable, and fits every width, in both themes, zoomed, with large text, printed and right to left: ${part}`, async (t) => {
      const furnished = await openPopulatedWorld(t)
      const page = await openWatchedPage(t)
      if (part !== 'strangers') await signInWithPasskey(page, furnished.world)
      const bytesOf = await byteCounter(page)
      const faults: string[] = []
      const { strangers, ofAda } = await everyPage(furnished)
      const isOfPart = (address: string) => part !== 'strangers' && address.startsWith(furnished.world[part])
      for (const address of part === 'strangers' ? strangers : [...ofAda.keys()].filter(isOfPart)) {
        const bytes = await bytesOf(() => page.goto(address, { waitUntil: 'load' }))
        if (bytes > bytesOnTheWire) faults.push(`${address}: ${bytes} bytes on the wire`)
        const checks = [firstPaintFaults, axeFaults, focusFaults, widthFaults]
        for (const check of checks) for (const fault of await check(page)) faults.push(`${address}: ${fault}`)
      }
      assert.deepEqual(faults, [])
    })
  }

  test('a page whose footer arrives late is painted in one piece', async (t) => {
    const furnished = await openPopulatedWorld(t)
    const { url, sendRest } = await serveInTwoPieces(t, furnished.world.baseUrl, '<nav class="themes"')
    const page = await openWatchedPage(t)
    const loaded = page.goto(`${url}/forgot-password`, { waitUntil: 'load' })
    await page.waitForFunction(() => document.querySelector('.languages') !== null, undefined, { polling: 10 })
    await page.evaluate(() => {
      const painted = new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return Promise.race([painted, new Promise((resolve) => setTimeout(resolve, 200))])
    })
    sendRest()
    await loaded
    assert.deepEqual(await firstPaintFaults(page), [])
  })

  for (const locale of ownLanguages.filter((each) => each !== sourceLanguage)) {
    test(`every page fits a small phone’s screen in ${locale}, even if names are one long word`, async (t) => {
      const furnished = await openPopulatedWorld(t, (_plain, atMost) => 'W'.repeat(Math.min(atMost, 100)))
      const { strangers, ofAda } = await everyPage(furnished)
      const page = await openPage(t, { locale, viewport: { width: 320, height: 740 } })
      const faults: string[] = []
      const fit = async (addresses: Iterable<string>) => {
        for (const address of addresses) {
          await page.goto(address)
          for (const size of ['100%', '200%']) {
            await page.evaluate(`document.documentElement.style.fontSize = '${size}'`)
            const width = await widestOf(page)
            if (width > 320) faults.push(`${address}: ${width} pixels wide with text of ${size}`)
            const hidden = "document.querySelector('.skip').getBoundingClientRect().bottom <= 0"
            if (!(await page.evaluate(hidden))) faults.push(`${address}: the link to the content covers the header`)
            if (size === '200%') continue
            for (const cut of await page.evaluate(cutOff, '.table')) faults.push(`${address}: this is cut off: ${cut}`)
          }
        }
      }
      await fit(strangers)
      await signInAsAda(page, furnished.world)
      await fit(ofAda.keys())
      assert.deepEqual(faults, [])
    })
  }
})

/** Serves what `origin` serves, but keeps the end of each page, from the first occurrence of `cut` on, until `sendRest`. */
async function serveInTwoPieces(t: TestContext, origin: string, cut: string) {
  let sendRest = () => {}
  const url = await serve(t, async (request, response) => {
    const answer = await fetch(`${origin}${request.url}`)
    const body = Buffer.from(await answer.arrayBuffer())
    response.setHeader('content-type', answer.headers.get('content-type') ?? '')
    const at = body.indexOf(cut)
    if (at < 0) return response.end(body)
    sendRest = () => response.end(body.subarray(at))
    return response.write(body.subarray(0, at))
  })
  return { url, sendRest: () => sendRest() }
}

/** Opens a page that keeps a running total of its layout shifts. */
async function openWatchedPage(t: TestContext): Promise<Page> {
  const page = await openPage(t, { reducedMotion: 'reduce' })
  await page.addInitScript(() => {
    const sum: Shifts = { shifted: 0 }
    Object.assign(globalThis, { shifts: sum })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum.shifted += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return page
}

/** Signs in to the account, adds a passkey, and signs in to the portal. */
async function signInWithPasskey(page: Page, world: World): Promise<void> {
  await withVirtualAuthenticator(page)
  await signInEverywhere(page, world)
  await page.goto(`${world.baseUrl}/account/passkeys`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey added').waitFor()
}

/** Returns a function that counts the bytes received during `work`, with the browser's cache disabled. */
async function byteCounter(page: Page): Promise<(work: () => Promise<unknown>) => Promise<number>> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Network.enable')
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true })
  let bytes = 0
  devTools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  return async (work) => {
    bytes = 0
    await work()
    return bytes
  }
}

/** Returns a description of each fault: layout shifts, and scripts that block the page's first paint. */
async function firstPaintFaults(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const faults: string[] = []
    if (shifts.shifted > 0) faults.push(`its layout shifts by ${shifts.shifted}`)
    const blocking = performance
      .getEntriesByType('resource')
      .filter((entry) => /script/.test((entry as PerformanceResourceTiming).initiatorType))
      .filter((entry) => (entry as { renderBlockingStatus?: string }).renderBlockingStatus === 'blocking')
    for (const { name } of blocking) faults.push(`${name} blocks its first paint`)
    return faults
  })
}

/** Focuses each focusable element as the keyboard would, and returns those whose focus isn't visible. */
async function focusFaults(page: Page): Promise<string[]> {
  await page.keyboard.press('Tab')
  await page.evaluate(`globalThis.hiddenFocus = ${hiddenFocus}`)
  const faults = await page.evaluate(() => {
    const able = document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]')
    return [...able].flatMap((element) => {
      if (element.tabIndex > 0) return [`${element.outerHTML} jumps the queue of the Tab key`]
      if (element.tabIndex < 0 || !element.checkVisibility()) return []
      element.focus()
      const outOfSight = document.activeElement === element ? hiddenFocus() : undefined
      return outOfSight === undefined ? [] : [`the focus can not be seen on ${outOfSight}`]
    })
  })
  return faults
}

/** Finds content that is wider than the window, or cut off when printed. */
async function widthFaults(page: Page): Promise<string[]> {
  const faults: string[] = []
  const overflows = async (how: string, width: number) => {
    const widest = await widestOf(page)
    if (widest > width) faults.push(`${how} of ${width} pixels it is ${widest} wide`)
  }
  for (const width of widths) {
    await page.setViewportSize({ width, height: 740 })
    await overflows('in a window', width)
    for (const cut of await page.evaluate(cutOff, '.table'))
      faults.push(`in a window of ${width} this is cut off: ${cut}`)
    await page.evaluate("document.documentElement.dir = 'rtl'")
    await overflows('from right to left, in a window', width)
    await page.evaluate("document.documentElement.dir = 'ltr'; document.documentElement.style.fontSize = '200%'")
    await overflows('with text of twice the size, in a window', width)
    await page.evaluate("document.documentElement.style.fontSize = ''")
  }
  // The printable width of A4 with the usual margins.
  await page.setViewportSize({ width: 718, height: 1_000 })
  await page.emulateMedia({ media: 'print' })
  await overflows('on paper', 718)
  for (const cut of await page.evaluate(cutOff, 'main :not(.hidden-visually)')) {
    faults.push(`on paper this is cut off: ${cut}`)
  }
  await page.emulateMedia({ media: 'screen' })
  await page.setViewportSize({ width: 1280, height: 720 })
  return faults
}

/** Runs in the page. */
function cutOff(selector: string): string[] {
  return [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility() && element.clientWidth > 1)
    .filter((element) => getComputedStyle(element).overflowX !== 'visible')
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => element.outerHTML.slice(0, 120))
}

function widestOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth)
}
