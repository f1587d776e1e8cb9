import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { synonymsOfPages } from '../../src/surfaces/search/words.ts'
import { ada, provision, signedIn, textIn } from '../support/people.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'

describe('our choice: search', () => {
  test('finds the user’s applications, bots, flows, pages and guides by all words, and actions by verb and object, in each language and in the plural; each first hit leads to a page that exists', async (t) => {
    const { world, browser, base, portal, find } = await openScene(t)
    const acme = `${portal}/apps/acme`
    const replay = `${base}/bots/lantern/dead-letters/replay Replay dead letters of Lantern Action`
    const rotate = `${acme}/secret Rotate secret of Acme Dashboard Action`
    const rows: [search: string, first: string, ...others: string[]][] = [
      [
        'acme',
        `${acme} Acme Dashboard Applications Application`,
        `${acme}/try-outs Try it Acme Dashboard Page`,
        `${acme}/usage Usage Acme Dashboard Page`,
        `${acme}/logs Logs Acme Dashboard Page`,
        `${acme}/activity Activity Acme Dashboard Page`,
      ],
      ['HARBOR  deliv', `${base}/bots/harbor/deliveries Deliveries Harbor Page`],
      ['raise alerts', `${base}/bots/lantern/flows/alerts Raise alerts Lantern Flow`],
      ['215215215215215215', `${base}/bots/lantern Lantern Bots Bot`],
      ['refreshing', `${portal}/guides/sign-in#refreshing Refreshing Sign users in with Gatehouse Guide`],
      ['register app', `${portal}/apps/new Register application Applications Action`],
      ['replay dead letters of lantern', replay],
      ['Rejouer lantern', replay],
      ['add runtimes harbor', `${base}/bots/harbor/runtimes#new Add runtime to Harbor Action`],
      ['rotate secrets of acme', rotate],
      ['Secret erneuern acme', rotate],
      ['agregar suscripciones', `${base}/account/subscriptions/new Add subscription Account Action`],
      ['delete acme', `${acme}/deletion Delete application Acme Dashboard Action`],
      ['new secret acme', `${acme}/secrets New secret for Acme Dashboard Action`],
      ['invite team harbor', `${base}/bots/harbor/invitations/new Invite collaborator to Harbor Action`],
    ]
    for (const [search, ...hits] of rows) {
      for (const origin of [base, portal]) {
        const found = await find(search, origin)
        assert.deepEqual(found.slice(0, hits.length), hits, search)
      }
      const [url = ''] = hits[0].split(' ')
      assert.equal((await browser.visit(url, world)).status, 200, search)
    }
    assert.equal((await find('raise alerts')).length, 1)
    assert.deepEqual(await find('none such'), [])
  })

  test('finds pages by their name and by words that it doesn’t contain, in each language', async (t) => {
    const { base, portal, find } = await openScene(t)
    for (const [search, ...pages] of [
      ['Sitzungen', `${base}/account/sessions`],
      ['events', `${base}/account/subscriptions`, `${base}/bots/lantern/deliveries`, `${base}/account/activity`],
      ['webhooks', `${base}/bots/lantern/flows`, `${base}/bots/lantern/deliveries`],
      ['Einladung', `${base}/bots/lantern/coworkers`],
      ['apps', `${portal}/`, `${base}/account/applications`],
      ['history', `${base}/account/activity`, `${portal}/apps/acme/activity`],
      ['API-Schlüssel', `${base}/account/tokens`],
      ['2fa', `${base}/account/security`, `${base}/account/passkeys`],
      ['docs', `${portal}/guides`, `${portal}/reference`],
      ['client secret', `${portal}/apps/acme`],
      ['appareils', `${base}/account/sessions`],
      ['estadisticas', `${portal}/apps/acme/usage`],
      ['statistic', `${portal}/apps/acme/usage`],
    ] as const) {
      const found = (await find(search)).map((hit) => hit.split(' ')[0])
      for (const page of pages) assert.ok(found.includes(page), `${search}: ${page} in ${found.join(' ')}`)
    }
  })

  test('every synonym belongs to a page', async (t) => {
    const { find } = await openScene(t)
    for (const [page, words] of Object.entries(synonymsOfPages)) {
      const hits = await find(String(words.in('en')))
      const found = hits.some((hit) => /(Page|Action)$/.test(hit))
      assert.ok(found, page)
    }
  })

  test('offers only what can be done: no publication of a public page, no third secret', async (t) => {
    const { world, browser, base, portal, find } = await openScene(t)
    const harbor = await browser.visit(`${base}/bots/harbor/settings`, world)
    for (const [isPublic, found] of Object.entries({ no: ['Publish status page of Harbor Action'], yes: [] })) {
      await browser.submit(harbor, { public: isPublic }, '/public-status')
      assert.deepEqual((await find('publish harbor')).map(withoutUrl), found)
    }
    const form = await browser.visit(`${portal}/apps/acme/secrets`, world)
    assert.equal((await browser.submit(form, { label: 'second' }, '/secrets')).status, 200)
    assert.deepEqual(await find('new secret acme', portal), [])
  })

  test('lists the bots and applications that were opened last first, on either origin', async (t) => {
    const { world, browser, base, portal, find } = await openScene(t)
    const objects = async () =>
      (await find('')).filter((hit) => /(Bot|Application)$/.test(hit)).map((hit) => hit.split(' ')[0])
    for (const address of [`${base}/bots/lantern`, `${portal}/apps/acme`, `${base}/bots/harbor/flows`]) {
      assert.equal((await browser.visit(address, world)).status, 200)
    }
    const lastOpened = [`${base}/bots/harbor`, `${portal}/apps/acme`, `${base}/bots/lantern`]
    assert.deepEqual((await objects()).slice(0, 3), lastOpened)
    await browser.visit(`${base}/bots/lantern/logs`, world)
    assert.equal((await objects())[0], `${base}/bots/lantern`)
    const [replay] = await find('replay', portal)
    assert.equal(replay?.split(' ')[0], `${base}/bots/lantern/dead-letters/replay`)
  })

  test('finds a webhook by its whole ID; shows a collaborator only the pages of their role, and another user nothing', async (t) => {
    const { world, events, base, find } = await openScene(t)
    for (const id of [events.done, events.dead]) {
      const [first] = await find(id)
      assert.equal(first, `${base}/bots/lantern/deliveries/${id} ${id} Lantern › Deliveries Webhook`)
      assert.deepEqual(await find(id.slice(0, 6)), [])
    }
    for (const [id, pages] of [
      [
        'alan',
        [
          'Lantern Bots Bot',
          'Raise alerts Lantern Flow',
          'Announce deployments Lantern Flow',
          'Say hello Lantern Flow',
          'Flows Lantern Page',
          'Deliveries Lantern Page',
          'Logs Lantern Page',
          'Collaborators Lantern Page',
          'Settings Lantern Page',
        ],
      ],
      ['edith', []],
    ] as const) {
      const person = { name: id, email: `${id}@example.com`, password: ada.password }
      await provision(world, 'PUT', `/v1/users/${id}`, person)
      const browser = await signedIn(world, person)
      const found = async (search: string) => {
        const hits = hitsOf((await browser.get(`${base}/search?q=${search}`)).text, base)
        return hits.filter((hit) => !hit.endsWith('Guide')).map(withoutUrl)
      }
      assert.deepEqual(await found('lantern'), pages)
      // A viewer may not open webhooks, because bodies contain other people's data.
      assert.deepEqual(await found(events.done), [])
    }
  })

  test('without a search text, lists the user’s bots and applications and where else to go', async (t) => {
    const { portal, find } = await openScene(t)
    const names = (await find('', portal)).map(withoutUrl)
    assert.deepEqual(names.slice(0, 4).toSorted(), [
      'Acme Dashboard Applications Application',
      'Harbor Bots Bot',
      'Lantern Bots Bot',
      'Night Shift Applications Application',
    ])
    assert.equal(names[4], 'Profile Account Page')
  })

  test('shows at most 20 results, and says if there are more', async (t) => {
    const { world, browser, base, find } = await openScene(t)
    for (let at = 0; at < 25; at += 1) {
      const flow = { kind: 'command', name: `Zebra ${at}` }
      await provision(world, 'PUT', `/v1/bots/lantern/flows/zebra-${at}`, flow)
    }
    assert.equal((await find('zebra')).length, 20)
    assert.match((await browser.get(`${base}/search?q=zebra`)).text, /First 20 results/)
  })
})

async function openScene(t: TestContext) {
  const furnished = await openPopulatedWorld(t)
  const { world, browser } = furnished
  const { baseUrl: base, portalUrl: portal } = world
  /** Searches for the text on this origin. Returns the hits. */
  const find = async (search: string, origin = base) => {
    const path = search === '' ? '/search' : `/search?q=${encodeURIComponent(search)}`
    const { status, text } = await browser.visit(origin + path, world)
    assert.equal(status, 200)
    return hitsOf(text, origin)
  }
  return { ...furnished, base, portal, find }
}

const withoutUrl = (hit: string) => hit.replace(/^\S+ /, '')

/** Returns each hit as its URL, followed by its text. */
function hitsOf(text: string, origin: string): string[] {
  const [, list = ''] = /<ul class="hits"[^>]*>(.*?)<\/ul>/s.exec(text) ?? []
  return [...list.matchAll(/<a href="([^"]*)">(.*?)<\/a>/gs)].map(
    ([, href = '', inside = '']) => `${new URL(href, origin).href} ${textIn(inside)}`,
  )
}
