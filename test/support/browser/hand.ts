import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { storageOfRun } from '../world.ts'
import { openPage } from './chromium.ts'
import { focusInSight } from './focus-in-sight.ts'

const everyWay = ['with the mouse', 'by keyboard alone', 'without scripts'] as const
export type Way = (typeof everyWay)[number]
/** How somebody uses a page. Each journey is taken in each way; on PostgreSQL in one, since pages don't depend on it. */
export const ways: readonly Way[] = storageOfRun === 'postgres' ? ['without scripts'] : everyWay

/**
 * Somebody at a browser. Things are named as they are called on the page, by their whole accessible names; each
 * step that leads to another page ends once that has loaded.
 */
export interface Hand {
  readonly page: Page
  readonly scripts: boolean
  open(address: string | URL): Promise<void>
  /** Puts this text into a field, in the place of what stands there. */
  fill(label: string, text: string): Promise<void>
  /** Chooses a radio button, or ticks a check box. */
  choose(label: string): Promise<void>
  /** Chooses from a list. */
  select(label: string, option: string): Promise<void>
  /** Presses a button that leads to a page. */
  press(name: string | RegExp): Promise<void>
  /** Presses a button that changes something on this page. */
  tap(name: string): Promise<void>
  follow(name: string | RegExp): Promise<void>
  /** Opens what is folded up behind these words. */
  unfold(words: string): Promise<void>
  /** Waits until this stands on the page. */
  sees(text: string | RegExp): Promise<void>
  /** Waits until this is a heading of the page. */
  isAt(heading: string): Promise<void>
}

export async function openHand(t: TestContext, way: Way, options: BrowserContextOptions = {}): Promise<Hand> {
  const scripts = way !== 'without scripts'
  const page = await openPage(t, { ...options, javaScriptEnabled: scripts })
  return handAt(page, way)
}

/** The same at a page that is open already. */
export function handAt(page: Page, way: Way): Hand {
  const { click, fill, choose, select } = way === 'by keyboard alone' ? keyboard(page) : mouse
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true })
  const leads = async (step: Promise<void>) => {
    const loaded = page.waitForEvent('load')
    await Promise.all([loaded, step])
  }
  return {
    page,
    scripts: way !== 'without scripts',
    open: async (address) => void (await page.goto(String(address))),
    fill: (label, text) => fill(field(label), text),
    choose: (label) => choose(field(label)),
    select: (label, option) => select(field(label), option),
    press: (name) => leads(click(button(name))),
    tap: (name) => click(button(name)),
    follow: (name) => leads(click(link(name))),
    unfold: (words) => click(page.locator('summary', { hasText: words }).first()),
    async sees(text) {
      try {
        await page.getByRole('main').or(page.locator('pre')).getByText(text).first().waitFor()
      } catch {
        assert.fail(`${page.url()} does not say ${text}, but:\n${await page.locator('body').innerText()}`)
      }
    },
    isAt: (heading) => page.getByRole('heading', { name: heading, exact: true }).waitFor(),
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
  /** Moves on by the Tab key until the focus is there, and asserts that it is to be seen at each stop. */
  async function reach(target: Locator): Promise<void> {
    const element = await target.elementHandle()
    if (await element?.evaluate(hasFocus)) return
    for (let presses = 0; presses < 150; presses += 1) {
      await page.keyboard.press('Tab')
      const [there, outOfSight] = await Promise.all([element?.evaluate(hasFocus), page.evaluate(focusInSight)])
      assert.equal(outOfSight, undefined, `${page.url()}: the focus can not be seen`)
      if (there) return
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
      // The Tab key leads to one radio button of a group, the arrows to the others.
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

/** Runs in the page. Of a group of radio buttons any one stands for all. */
function hasFocus(element: Element): boolean {
  const { activeElement: focused } = document
  if (focused === element) return true
  const [one, other] = [element, focused] as HTMLInputElement[]
  return one?.type === 'radio' && other?.type === 'radio' && one.name === other.name && one.form === other.form
}
