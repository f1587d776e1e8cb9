import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { synonymsOfPages } from '../../src/surfaces/search/words.ts'
import { ada, provision, signedIn, textIn } from '../support/people.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'

describe('our choice: search', () => {
  test('finds the user’s applications, bots, flows, pages and guides by all words, and actions by verb and object, in each language and in the plural; each first hit leads to a page that exists', async (t) => {
    const { world, browser, find } = await openScene(t)
    const { baseUrl: base, portalUrl: portal } = world
    const acme = `${portal}/apps/acme`
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
      ...['replay dead letters of lantern', 'Rejouer lantern'].map((search): [string, string] => [
        search,
        `${base}/bots/lantern/dead-letters/replay Replay dead letters of Lantern Action`,
      ]),
      ['add runtimes harbor', `${base}/bots/harbor/runtimes#new Add runtime to Harbor Action`],
      ...['rotate secrets of acme', 'Secret erneuern acme'].map((search): [string, string] => [
        search,
        `${acme}/secret Rotate secret of Acme Dashboard Action`,
      ]),
      ['agregar suscripciones', `${base}/account/subscriptions/new Add subscription Account Action`],
      ['delete acme', `${acme}/deletion Delete application Acme Dashboard Action`],
      ['new secret acme', `${acme}/secrets New secret for Acme Dashboard Action`],
      ['invite team harbor', `${base}/bots/harbor/invitations/new Invite collaborator to Harbor Action`],
    ]
    for (const [search, ...hits] of rows) {
      for (const origin of [base, portal]) {
        const found = await find(`${origin}/search?q=${encodeURIComponent(search)}`)
        assert.deepEqual(found.slice(0, hits.length), hits, search)
      }
      const [url = ''] = hits[0].split(' ')
      assert.equal((await browser.visit(url, world)).status, 200, search)
    }
    assert.equal((await find(`${base}/search?q=raise%20alerts`)).length, 1)
    assert.deepEqual(await find(`${base}/search?q=none%20such`), [])
  })

  test('finds pages by their name and by words that it doesn’t contain, in each language', async (t) => {
    const { world, find } = await openScene(t)
    const { baseUrl: base, portalUrl: portal } = world
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
      const found = (await find(`${base}/search?q=${encodeURIComponent(search)}`)).map((hit) => hit.split(' ')[0])
      for (const page of pages) assert.ok(found.includes(page), `${search}: ${page} in ${found.join(' ')}`)
    }
  })

  test('every synonym belongs to a page', async (t) => {
    const { world, find } = await openScene(t)
    const found = (
      await Promise.all(
        Object.values(synonymsOfPages).map((words) =>
          find(`${world.baseUrl}/search?q=${encodeURIComponent(String(words.in('en')))}`),
        ),
      )
    ).map((hits) => hits.filter((hit) => /(Page|Action)$/.test(hit)).length)
    assert.deepEqual(
      Object.keys(synonymsOfPages).filter((_, at) => found[at] === 0),
      [],
    )
  })

  test('offers only what can be done: no publication of a public page, no third secret', async (t) => {
    const { world, browser, find } = await openScene(t)
    const { baseUrl: base, portalUrl: portal } = world
    const harbor = await browser.visit(`${base}/bots/harbor/settings`, world)
    for (const [isPublic, found] of [
      ['no', ['Publish status page of Harbor Action']],
      ['yes', []],
    ] as const) {
      await browser.submit(harbor, { public: isPublic }, '/public-status')
      const hits = await find(`${base}/search?q=publish%20harbor`)
      assert.deepEqual(
        hits.map((hit) => hit.replace(/^\S+ /, '')),
        found,
      )
    }
    const form = await browser.visit(`${portal}/apps/acme/secrets`, world)
    assert.equal((await browser.submit(form, { label: 'second' }, '/secrets')).status, 200)
    assert.deepEqual(await find(`${portal}/search?q=new%20secret%20acme`), [])
  })

  test('lists the bots and applications that were opened last first, on either origin', async (t) => {
    const { world, browser, find } = await openScene(t)
    const { baseUrl: base, portalUrl: portal } = world
    const objects = async () =>
      (await find(`${base}/search`)).filter((hit) => /(Bot|Application)$/.test(hit)).map((hit) => hit.split(' ')[0])
    for (const address of [`${base}/bots/lantern`, `${portal}/apps/acme`, `${base}/bots/harbor/flows`]) {
      assert.equal((await browser.visit(address, world)).status, 200)
    }
    assert.deepEqual((await objects()).slice(0, 3), [
      `${base}/bots/harbor`,
      `${portal}/apps/acme`,
      `${base}/bots/lantern`,
    ])
    await browser.visit(`${base}/bots/lantern/logs`, world)
    assert.equal((await objects())[0], `${base}/bots/lantern`)
    assert.equal(
      (await find(`${portal}/search?q=replay`))[0]?.split(' ')[0],
      `${base}/bots/lantern/dead-letters/replay`,
    )
  })

  test('finds a webhook by its whole ID; shows a collaborator only the pages of their role, and another user nothing', async (t) => {
    const { world, events, find } = await openScene(t)
    for (const id of [events.done, events.dead]) {
      const [first] = await find(`${world.baseUrl}/search?q=${id}`)
      assert.equal(first, `${world.baseUrl}/bots/lantern/deliveries/${id} ${id} Lantern › Deliveries Webhook`)
      assert.deepEqual(await find(`${world.baseUrl}/search?q=${id.slice(0, 6)}`), [])
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
        const hits = hitsOf((await browser.get(`${world.baseUrl}/search?q=${search}`)).text, world.baseUrl)
        return hits.filter((hit) => !hit.endsWith('Guide')).map((hit) => hit.replace(/^\S+ /, ''))
      }
      assert.deepEqual(await found('lantern'), pages)
      // A viewer may not open webhooks, because bodies contain other people's data.
      assert.deepEqual(await found(events.done), [])
    }
  })

  test('without a search text, lists the user’s bots and applications and where else to go', async (t) => {
    const { world, find } = await openScene(t)
    const found = await find(`${world.portalUrl}/search`)
    const names = found.map((hit) => hit.replace(/^\S+ /, ''))
    assert.deepEqual(names.slice(0, 4).toSorted(), [
      'Acme Dashboard Applications Application',
      'Harbor Bots Bot',
      'Lantern Bots Bot',
      'Night Shift Applications Application',
    ])
    assert.equal(names[4], 'Profile Account Page')
  })

  test('shows at most 20 results, and says if there are more', async (t) => {
    const { world, browser, find } = await openScene(t)
    for (let at = 0; at < 25; at += 1) {
      const flow = { kind: 'command', name: `Zebra ${at}` }
      await provision(world, 'PUT', `/v1/bots/lantern/flows/zebra-${at}`, flow)
    }
    const address = `${world.baseUrl}/search?q=zebra`
    assert.equal((await find(address)).length, 20)
    assert.match((await browser.get(address)).text, /First 20 results/)
  })
})

async function openScene(t: TestContext) {
  const furnished = await openPopulatedWorld(t)
  const { world, browser } = furnished
  const find = async (address: string) => {
    const { status, text } = await browser.visit(address, world)
    assert.equal(status, 200)
    return hitsOf(text, new URL(address).origin)
  }
  return { ...furnished, find }
}

/** Returns each hit as its URL, followed by its text. */
function hitsOf(text: string, origin: string): string[] {
  const [, list = ''] = /<ul class="hits"[^>]*>(.*?)<\/ul>/s.exec(text) ?? []
  return [...list.matchAll(/<a href="([^"]*)">(.*?)<\/a>/gs)].map(
    ([, href = '', inside = '']) => `${new URL(href, origin).href} ${textIn(inside)}`,
  )
}
