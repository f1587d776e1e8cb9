import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage } from '../support/browser/chromium.ts'
import { furnishWorld } from '../support/furnished-world.ts'
import { ada, provision } from '../support/people.ts'
import { everyPage } from './every-page.ts'

const hostile = `"'><svg/onload=ran()>`
const fields = 'input:is([type="text"], [type="email"], [type="password"], [type="url"]), textarea'

test('our choice: whatever people and platforms write, where they may, is text on every page: nothing of it runs', async (t) => {
  const furnished = await furnishWorld(t, (plain, atMost) => `${plain}${hostile}`.slice(0, atMost))
  const { world } = furnished
  // Without the policy that forbids it, what got through would run.
  const page = await openPage(t, { bypassCSP: true, userAgent: hostile })
  await page.exposeFunction('ran', () => assert.fail(`${page.url()}: something ran`))
  const { strangers, ...others } = everyPage(furnished)
  const told: string[] = []
  const look = async () => {
    const { text, inside } = await page.evaluate(whatStandsThere)
    assert.deepEqual(inside, [], page.url())
    if (text.includes('svg/onload')) told.push(text)
  }
  const forms: { address: string; index: number }[] = []
  const visit = async (address: string) => {
    await page.goto(address)
    await look()
    const count = await page
      .locator('form')
      .filter({ has: page.locator(fields) })
      .count()
    for (let index = 0; index < count; index += 1) forms.push({ address, index })
  }
  for (const address of Object.values(strangers)) await visit(address)
  await page.goto(`${world.baseUrl}/sign-in`)
  await page.locator('#email').fill(ada.email)
  await page.locator('#password').fill(ada.password)
  await page.locator('#password').press('Enter')
  await page.waitForURL('**/account')
  for (const pages of Object.values(others)) for (const address of Object.values(pages)) await visit(address)
  for (const plain of written)
    assert.ok(
      told.some((text) => text.includes(`${plain}${hostile}`)),
      `${plain}: as written`,
    )

  for (const { address, index } of forms) {
    await page.goto(address)
    // Of those that are asked signed out, some are not there any more.
    if (
      index >=
      (await page
        .locator('form')
        .filter({ has: page.locator(fields) })
        .count())
    )
      continue
    await Promise.all([page.waitForEvent('load'), page.evaluate(sendForm, { index, fields, hostile })])
    await look()
  }
})

test('our choice: what stands in an address is text on the page that answers', async (t) => {
  const { world, browser } = await furnishWorld(t)
  await browser.visit(world.portalUrl, world)
  const { baseUrl, portalUrl } = world
  const pages = [
    '/account',
    '/bots',
    '/bots/lantern',
    '/bots/lantern/deliveries',
    '/bots/lantern/logs',
    '/auth/consent',
  ]
  const names = ['done', 'search', 'page', 'level', 'state', 'flow', 'before', 'sent', 'client_id', 'attempt', 'error']
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

/** What stands on some page, each followed by what would run. */
const written = [
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

test('our choice: an address that would run is refused wherever one can be written', async (t) => {
  const { world, client } = await furnishWorld(t)
  const address = 'javascript:alert(1)'
  const application = {
    ownerId: 'ada',
    name: 'Acme',
    websiteUrl: 'https://acme.example',
    redirectUris: [client.redirectUri],
  }
  for (const [path, body] of [
    ['applications/other', { ...application, websiteUrl: address }],
    ['applications/other', { ...application, redirectUris: [address] }],
    ['bots/lantern', { avatar: address }],
  ] as const) {
    assert.equal((await provision(world, 'PUT', `/v1/${path}`, body)).status, 400, JSON.stringify(body))
  }
})

/** Runs in the page: writes it into every field of a form, and sends that. */
function sendForm({ index, fields, hostile }: { index: number; fields: string; hostile: string }): void {
  const forms = [...document.querySelectorAll('form')].filter((form) => form.querySelector(fields) !== null)
  const form = forms[index]
  for (const field of form?.querySelectorAll<HTMLInputElement>(fields) ?? []) field.value = hostile
  if (form === undefined) return
  form.noValidate = true
  form.requestSubmit()
}

/** Runs in the page: what it says, and what of that became more than text. */
function whatStandsThere(): { text: string; inside: string[] } {
  const inside = [...document.querySelectorAll('*')].filter(
    (element) =>
      [...element.attributes].some(({ name }) => name.startsWith('on')) ||
      element.matches('main script, [href^="javascript:" i], [src^="javascript:" i]'),
  )
  return {
    text: document.body.textContent,
    inside: inside.map((element) => element.outerHTML),
  }
}
