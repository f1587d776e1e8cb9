import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage, signInAsAda } from '../support/browser/chromium.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import { everyPage } from './every-page.ts'

const hostile = `"'><svg/onload=ran()>`
const forms = 'form:not([data-passkey])'
const fields = 'input:is([type="text"], [type="email"], [type="password"], [type="url"]), textarea'

test('our choice: input from users and the platform, and what was entered into a form that is rejected, is shown as text on every page and never runs', async (t) => {
  const furnished = await openPopulatedWorld(t, (plain, atMost) => `${plain}${hostile}`.slice(0, atMost))
  // The content security policy would block injected scripts, and so hide missing escaping.
  const page = await openPage(t, { bypassCSP: true, userAgent: hostile })
  await page.exposeFunction('ran', () => assert.fail(`${page.url()}: something ran`))
  const { strangers, ofAda } = await everyPage(furnished)
  let shownTexts: string[] = []
  const checkPage = async () => {
    const { text, inside } = await page.evaluate(renderedContent)
    assert.deepEqual(inside, [], page.url())
    if (text.includes('svg/onload')) shownTexts.push(text)
  }
  const visit = async (address: string) => {
    await page.goto(address)
    await checkPage()
  }
  const sendForms = async (address: string) => {
    const response = await page.request.get(address)
    if (!/<textarea|type="(text|email|password|url)"/.test(await response.text())) return
    // The page may show fewer forms after one was sent.
    const formCount = () => page.locator(forms, { has: page.locator(fields) }).count()
    await page.goto(address)
    for (let index = 0; index < (await formCount()); index += 1) {
      await Promise.all([page.waitForEvent('load'), page.evaluate(sendForm, { index, forms, fields, hostile })])
      await checkPage()
      await page.goto(address)
    }
  }

  for (const address of strangers) await visit(address)
  await signInAsAda(page, furnished.world)
  for (const address of ofAda.keys()) await visit(address)
  for (const plain of expectedTexts) {
    const isShown = shownTexts.some((text) => text.includes(`${plain}${hostile}`))
    assert.ok(isShown, `${plain}: not shown as written`)
  }

  shownTexts = []
  for (const address of ofAda.keys()) await sendForms(address)
  await page.context().clearCookies()
  for (const address of strangers) await sendForms(address)
  assert.ok(shownTexts.length > 20, `${shownTexts.length} pages showed what was entered`)
})

/** Texts that must appear on the pages, each followed by the hostile markup. */
const expectedTexts = [
  'Ada Lovelace',
  'Grace Hopper',
  'See your calendar',
  'Acme Dashboard',
  'Night Shift',
  'Second server',
  'Forge',
  'Lantern',
  'poetry',
  'Say hello',
  'Raise alerts',
  'Moves to another host on Sunday',
  'Attic',
  'a sender',
  'Version 8 is out',
  'No such channel',
  'Slow answer',
]

/** Runs in the page: fills every field of a form with the hostile markup and presses its first button. */
function sendForm({
  index,
  forms,
  fields,
  hostile,
}: Record<'forms' | 'fields' | 'hostile', string> & { index: number }) {
  const form = [...document.querySelectorAll<HTMLFormElement>(forms)].filter((form) => form.querySelector(fields))[
    index
  ]
  for (const field of form?.querySelectorAll<HTMLInputElement>(fields) ?? []) field.value = hostile
  if (form === undefined) return
  form.noValidate = true
  form.requestSubmit(form.querySelector('button[type="submit"]:not([hidden])'))
}

/** Runs in the page. Returns the page's text and any elements created by injected markup. */
function renderedContent(): { text: string; inside: string[] } {
  const inside = [...document.querySelectorAll('*')].filter(
    (element) =>
      [...element.attributes].some(({ name }) => name.startsWith('on')) ||
      element.matches('main script, [href^="javascript:" i], [src^="javascript:" i]'),
  )
  return { text: document.body.textContent, inside: inside.map((element) => element.outerHTML) }
}
