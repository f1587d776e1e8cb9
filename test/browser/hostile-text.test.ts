import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage, signInAsAda } from '../support/browser/chromium.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import { everyPage } from './every-page.ts'

const hostile = `"'><svg/onload=ran()>`
const fields = 'input:is([type="text"], [type="email"], [type="password"], [type="url"]), textarea'

test('our choice: input from users and the platform is shown as text on every page and never runs', async (t) => {
  const furnished = await openPopulatedWorld(t, (plain, atMost) => `${plain}${hostile}`.slice(0, atMost))
  const { world } = furnished
  // Disables the content security policy, which would block injected scripts and so hide missing escaping.
  const page = await openPage(t, { bypassCSP: true, userAgent: hostile })
  await page.exposeFunction('ran', () => assert.fail(`${page.url()}: something ran`))
  const { strangers, ...others } = everyPage(furnished)
  const shownTexts: string[] = []
  const check = async () => {
    const { text, inside } = await page.evaluate(renderedContent)
    assert.deepEqual(inside, [], page.url())
    if (text.includes('svg/onload')) shownTexts.push(text)
  }
  const formCount = () => page.locator('form', { has: page.locator(fields) }).count()
  const forms: { address: string; index: number }[] = []
  const visit = async (address: string) => {
    await page.goto(address)
    await check()
    const count = await formCount()
    for (let index = 0; index < count; index += 1) forms.push({ address, index })
  }
  for (const address of Object.values(strangers)) await visit(address)
  await signInAsAda(page, world)
  for (const pages of Object.values(others)) for (const address of Object.values(pages)) await visit(address)
  for (const plain of expectedTexts)
    assert.ok(
      shownTexts.some((text) => text.includes(`${plain}${hostile}`)),
      `${plain}: not shown as written`,
    )

  for (const { address, index } of forms) {
    await page.goto(address)
    // Some pages show fewer forms now that the browser is signed in.
    if (index >= (await formCount())) continue
    await Promise.all([page.waitForEvent('load'), page.evaluate(sendForm, { index, fields, hostile })])
    await check()
  }
})

test('our choice: text from a URL is shown as text and never runs', async (t) => {
  const { world, browser } = await openPopulatedWorld(t)
  await browser.visit(world.portalUrl, world)
  const { baseUrl, portalUrl } = world
  const pages = [
    '/account',
    '/account/security',
    '/account/sessions',
    '/account/applications',
    '/account/activity',
    '/bots',
    '/bots/lantern',
    '/bots/lantern/deliveries',
    '/bots/lantern/logs',
    '/auth/consent',
  ]
  const names = [
    'done',
    'search',
    'page',
    'level',
    'state',
    'flow',
    'before',
    'all',
    'sent',
    'client_id',
    'attempt',
    'error',
  ]
  for (const address of [
    ...pages.map((path) => baseUrl + path),
    `${baseUrl}/sign-in`,
    `${portalUrl}/`,
    `${portalUrl}/callback`,
  ]) {
    for (const query of [new URLSearchParams(names.map((name) => [name, hostile])), encodeURIComponent(hostile)]) {
      for (const asked of [`${address}?${query}`, `${address}/${encodeURIComponent(hostile)}`]) {
        const { text } = await browser.visit(asked, world)
        assert.ok(!text.includes('<svg/onload'), asked)
      }
    }
  }
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

/** Runs in the page: fills every field of a form with the hostile markup and submits it. */
function sendForm({ index, fields, hostile }: { index: number; fields: string; hostile: string }): void {
  const forms = [...document.querySelectorAll('form')].filter((form) => form.querySelector(fields) !== null)
  const form = forms[index]
  for (const field of form?.querySelectorAll<HTMLInputElement>(fields) ?? []) field.value = hostile
  if (form === undefined) return
  form.noValidate = true
  form.requestSubmit()
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
