import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContextOptions, ElementHandle, Locator, Page } from 'playwright-core'
import { ada } from '../people.ts'
import { storageOfRun } from '../world.ts'
import { openPage } from './chromium.ts'

const everyWay = ['with the mouse', 'by keyboard alone', 'without scripts'] as const
export type Way = (typeof everyWay)[number]
const chosenWay = process.env.GATEHOUSE_TEST_WAY ?? (storageOfRun === 'postgres' ? 'without scripts' : undefined)
/**
 * Modes of using a page. Each journey runs once per mode. In `npm test` and on PostgreSQL, it runs in only one mode,
 * because a mode takes ten seconds, and pages don't depend on the storage.
 */
export const ways = everyWay.filter((way) => chosenWay === undefined || way === chosenWay)

export type PageUser = ReturnType<typeof pageUserAt>

export async function openPageUser(t: TestContext, way: Way, options: BrowserContextOptions = {}) {
  const scripts = way !== 'without scripts'
  const page = await openPage(t, { ...options, javaScriptEnabled: scripts })
  return pageUserAt(page, way)
}

/**
 * A user of a browser. Elements are identified by their full accessible name. A step that navigates resolves once the
 * new page has loaded.
 */
export function pageUserAt(page: Page, way: Way) {
  const { click, fill, choose, select } = way === 'by keyboard alone' ? keyboard(page) : mouse
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  // Breadcrumbs and tabs repeat some links.
  const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true }).first()
  const leads = async (step: Promise<void>) => {
    const loaded = page.waitForEvent('load')
    await Promise.all([loaded, step])
  }
  const open = async (address: string | URL) => void (await page.goto(String(address)))
  /** Fills in fields by label, and then presses a button that navigates to another page. */
  const press = async (name: string | RegExp, fields: Record<string, string> = {}) => {
    for (const [label, text] of Object.entries(fields)) await fill(field(label), text)
    await leads(click(button(name)))
  }
  return {
    page,
    scripts: way !== 'without scripts',
    open,
    press,
    /** Signs Ada in, on the page for it. */
    async signIn({ baseUrl }: { baseUrl: string }) {
      await open(`${baseUrl}/sign-in`)
      await press('Sign in', { 'Email address': ada.email, Password: ada.password })
    },
    fill: (label: string, text: string) => fill(field(label), text),
    /** Selects a radio button or ticks a checkbox. */
    choose: (label: string) => choose(field(label)),
    select: (label: string, option: string) => select(field(label), option),
    /** Presses a button that changes something on the current page. */
    tap: (name: string) => click(button(name)),
    follow: (name: string | RegExp) => leads(click(link(name))),
    /** Expands the collapsed section with this summary. */
    unfold: (words: string) => click(page.locator('summary', { hasText: words }).first()),
    /** Waits until the page shows this text. */
    async sees(text: string | RegExp) {
      try {
        await page.locator('main, pre').getByText(text).first().waitFor()
      } catch {
        assert.fail(`${page.url()} does not say ${text}, but:\n${await page.locator('body').innerText()}`)
      }
    },
    /** Waits until the page has this heading. */
    isAt: (heading: string) => page.getByRole('heading', { name: heading, exact: true }).waitFor(),
  }
}

const mouse = {
  click: (target: Locator) => target.click(),
  async fill(target: Locator, text: string) {
    await target.click()
    await target.fill(text)
  },
  choose: (target: Locator) => target.click(),
  select: async (target: Locator, option: string) => void (await target.selectOption(option)),
}

function keyboard(page: Page): typeof mouse {
  /** Presses Tab until the target has focus. Asserts that the focus is visible at every stop. */
  async function reach(target: Locator): Promise<void> {
    let element = await elementOf(target)
    for (let presses = 0; presses < 150; presses += 1) {
      const { isThere, isReplaced, outOfSight } = await element.evaluate(lookAtFocus)
      if (presses > 0) assert.equal(outOfSight, undefined, `${page.url()}: the focus can not be seen`)
      if (isThere) return
      // Finding an element by its name is slow, so it is found again only after a live update has replaced it.
      if (isReplaced) element = await elementOf(target)
      await page.keyboard.press('Tab')
    }
    assert.fail(`${page.url()}: Tab does not lead to ${target}`)
  }
  return {
    async click(target) {
      await reach(target)
      await page.keyboard.press('Enter')
    },
    async fill(target, text) {
      await reach(target)
      await page.keyboard.press('Control+A')
      if (text === '') await page.keyboard.press('Delete')
      else await page.keyboard.type(text)
    },
    async choose(target) {
      await reach(target)
      if ((await target.getAttribute('type')) === 'checkbox') return page.keyboard.press('Space')
      // Tab reaches one radio button of a group. The arrow keys move to the others.
      for (let presses = 0; presses < 20 && !(await target.isChecked()); presses += 1) {
        await page.keyboard.press('ArrowDown')
      }
      assert.ok(await target.isChecked(), `${page.url()}: the arrows do not lead to ${target}`)
    },
    async select(target, option) {
      await reach(target)
      await page.keyboard.type(option)
    },
  }
}

/**
 * Returns whether the element has focus. If any radio button of a group has it, so does the whole group. Runs in the
 * page.
 */
function hasFocus(element: Element): boolean {
  const { activeElement: focused } = document
  if (focused === element) return true
  const [one, other] = [element, focused] as HTMLInputElement[]
  return one?.type === 'radio' && other?.type === 'radio' && one.name === other.name && one.form === other.form
}

interface Focus {
  isThere: boolean
  isReplaced: boolean
  /** The HTML of the element that has the focus without showing it. */
  outOfSight: string | undefined
}

const lookAtFocus = new Function(
  'element',
  `${hasFocus}
  ${hiddenFocus}
  return { isThere: hasFocus(element), isReplaced: !element.isConnected, outOfSight: hiddenFocus() }`,
) as (element: Element) => Focus

async function elementOf(target: Locator): Promise<ElementHandle<Element>> {
  return (await target.elementHandle()) ?? assert.fail(`no ${target}`)
}

/**
 * Returns the HTML of the focused element if the focus is not visible on it, else `undefined`. Runs in the page and
 * requires scripts.
 */
export function hiddenFocus(): string | undefined {
  const { activeElement: focused } = document
  if (focused === null || focused === document.body) return undefined
  // A radio button that is styled through its label shows the focus on the label.
  const [label] = (focused as HTMLInputElement).labels ?? []
  const drawn = [focused, ...(label === undefined ? [] : [label])].find((element) => {
    const style = getComputedStyle(element)
    return style.opacity !== '0' && style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2
  })
  const { top, bottom, left, right } = (drawn ?? focused).getBoundingClientRect()
  const inView = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth && bottom > top && right > left
  if (drawn !== undefined && inView) return undefined
  return (focused as HTMLElement).outerHTML.slice(0, 200)
}
