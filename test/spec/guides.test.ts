import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { catalogue } from '../../src/surfaces/guides/catalogue.ts'
import { aClient, assertShows, Browser, provision } from '../support/people.ts'
import { openPopulatedWorld } from '../support/populated-world.ts'
import { acme, atPortal, registered } from '../support/portal-people.ts'
import { openWorld, type World } from '../support/world.ts'

const placeholderUrls =
  /\{(base|api|portal)_url\}|(?<!\$)\{gatehouse\}|https?:\/\/(id|auth|api|hooks|gatehouse)\.example/

const readRoot = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')

async function pageOf(world: World, name: string) {
  const response = await fetch(`${world.portalUrl}/guides/${name}`)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('our choice: {portal_url}/guides', () => {
  test('each guide is readable without a session, contains the URLs of this service and has no broken links; their list links to each and, in German, says that they are in English', async (t) => {
    const world = await openWorld(t)
    const pages = new Map<string, string>()
    for (const { name } of catalogue) {
      const { status, headers, text } = await pageOf(world, name)
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'], name)
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self';/)
      assert.match(text, /<h1 lang="en">[^<]+<\/h1>[\s\S]*<article class="guide" lang="en"><p>/, name)
      assert.doesNotMatch(text, placeholderUrls, name)
      assert.doesNotMatch(text, /<!-- |&lt;!--| style=|<script>/, name)
      pages.set(`/guides/${name}`, text)
    }
    assert.match(pages.get('/guides/quick-start') ?? '', new RegExp(`curl ${world.baseUrl}/api/oauth/token`))
    const links = [...pages].flatMap(([page, text]) => {
      const [article = ''] = /<article[\s\S]+<\/article>/.exec(text) ?? []
      return [...article.matchAll(/<a href="([^"]*)"/g)].map(([, href = '']) => ({ page, href }))
    })
    assert.ok(links.length > 50)
    const broken = links.filter(({ page, href }) => {
      if (/^https:\/\//.test(href)) return false
      const { pathname, hash } = new URL(href, `${world.portalUrl}${page}`)
      const text = pages.get(pathname)
      return text === undefined || (hash !== '' && !text.includes(` id="${hash.slice(1)}"`))
    })
    assert.deepEqual(broken, [])

    const list = await (await fetch(`${world.portalUrl}/guides`)).text()
    for (const { name } of catalogue) assert.ok(list.includes(`href="/guides/${name}"`), name)
    const sentence = 'Die Anleitungen gibt es nur auf Englisch.'
    assert.ok(!list.includes(sentence))
    const german = new Browser({}, { 'accept-language': 'de' })
    for (const path of ['/guides', '/guides/webhooks', '/guides?q=pkce']) {
      assert.ok((await german.get(`${world.portalUrl}${path}`)).text.includes(sentence), path)
    }
  })

  test('a guide as Markdown has the URLs of this service and absolute links, and may be cached', async (t) => {
    const world = await openWorld(t)
    for (const { name } of catalogue) {
      const { status, headers, text } = await pageOf(world, `${name}.md`)
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/markdown; charset=utf-8'], name)
      assert.equal(headers.get('cache-control'), 'public, max-age=300')
      assert.match(text, /^# .+\n/, name)
      assert.doesNotMatch(text, placeholderUrls, name)
      const prose = text.replace(/^ *```[\s\S]*?^ *```$/gm, '')
      for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        const own = target.startsWith(`${world.portalUrl}/guides/`)
        assert.ok(own || /^(#|https:\/\/)/.test(target), `${name}: ${target}`)
        if (own) assert.equal((await fetch(target)).status, 200, target)
      }
    }
  })

  test('a line of a guide that is only a link to code in examples/ is replaced by the code', async (t) => {
    const world = await openWorld(t)
    const shown = new Map<string, string>()
    for (const { name, file } of catalogue) {
      for (const [, path = ''] of readRoot(file).matchAll(/^ *\[[^\]]+\]\(\S*(examples\/\S+\.\w+)\)$/gm))
        shown.set(path, name)
    }
    assert.ok(shown.size > 10)
    const unindented = (text: string) => text.replace(/^ +/gm, '')
    for (const [path, name] of shown) {
      const { text } = await pageOf(world, `${name}.md`)
      const code = readRoot(path).replace('{api_url}', world.apiUrl).replace('{base_url}', world.baseUrl).trim()
      assert.ok(unindented(text).includes(`\n${unindented(code)}\n\`\`\``), path)
    }
  })

  test('llms.txt has a title, a summary and an absolute link to each guide, as llmstxt.org describes', async (t) => {
    const world = await openWorld(t)
    const response = await fetch(`${world.portalUrl}/llms.txt`)
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/plain; charset=utf-8'])
    const text = await response.text()
    assert.match(text, /^# Gatehouse\n\n> .+\n\n/)
    const lists = text.split(/^## .+\n\n/m).slice(1)
    assert.equal(lists.length, 5)
    const items = lists.flatMap((list) => list.trim().split('\n'))
    const links = items.map((item) => /^- \[[^\]]+\]\((https?:\/\/[^)]+)\): .+$/.exec(item)?.[1] ?? item)
    assert.deepEqual(links, [
      ...catalogue.map(({ name }) => `${world.portalUrl}/guides/${name}.md`),
      `${world.apiUrl}/openapi.json`,
      `${world.baseUrl}/api/openapi.json`,
      `${world.baseUrl}/.well-known/oauth-authorization-server`,
    ])
    for (const link of links) assert.equal((await fetch(link)).status, 200, link)
  })

  test('a signed-in reader’s guides show the client ID of the newest application and the webhook URL of the newest bot, and no secret', async (t) => {
    const { world, browser } = await openPopulatedWorld(t)
    await world.clock.advance(1_000)
    const application = await registered(world, browser, { ...acme, name: 'Newest' })
    const owned = { ownerId: 'ada', name: 'Beacon', chatPlatformId: '417417417417417418' }
    assert.equal((await provision(world, 'PUT', '/v1/bots/beacon', owned)).status, 201)
    const flow = { kind: 'event', name: 'Builds', webhook: { path: 'builds/main', requiresKey: true } }
    const { json } = await provision(world, 'PUT', '/v1/bots/beacon/flows/builds', flow)
    await aClient(world, 'foreign', { ownerId: 'grace' })

    const start = await browser.get(`${world.portalUrl}/guides/quick-start`)
    assert.match(start.text, new RegExp(`-d client_id=${application.clientId} `))
    assert.match(start.text, new RegExp(`curl ${world.apiUrl}/beacon/builds/main -d`))
    assert.match(start.text, /use the client ID of <strong>Newest<\/strong> and the bot <strong>Beacon<\/strong>/)
    assert.doesNotMatch(start.text, /\{client_id\}|\{botId\}|\{path\}/)
    const webhooks = await browser.get(`${world.portalUrl}/guides/webhooks`)
    assert.match(webhooks.text, new RegExp(`<code>POST ${world.apiUrl}/beacon/builds/main</code>`))
    for (const { text } of [start, webhooks]) {
      assert.ok(!text.includes(application.clientSecret) && !text.includes(json.webhook.key))
    }

    const other = await pageOf(world, 'quick-start')
    assert.ok(other.text.includes('client_id={client_id}') && other.text.includes('/{botId}/{path}'))
    assert.ok(!other.text.includes(application.clientId) && !other.text.includes('beacon'))
    assert.equal(other.headers.get('cache-control'), 'no-store')
    assert.ok(!(await pageOf(world, 'quick-start.md')).text.includes(application.clientId))
  })

  test('a reader without applications and bots sees placeholders in the guides; then the authorization URL in the quick start opens the consent page of the reader’s application', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const bare = await browser.get(`${world.portalUrl}/guides/quick-start`)
    assert.ok(bare.text.includes('client_id={client_id}') && bare.text.includes('/{botId}/{path}'))
    assert.doesNotMatch(bare.text, /The examples use/)

    const redirectUri = `${world.portalUrl}/show-code`
    await registered(world, browser, { ...acme, environment: 'development', redirect_uris: redirectUri })
    const { text } = await browser.get(`${world.portalUrl}/guides/quick-start`)
    const url = new RegExp(`${world.baseUrl}/auth/consent\\?[^\\s<]+`).exec(text)?.[0] ?? ''
    assertShows(await browser.visit(url.replaceAll('&amp;', '&'), world), 200, /Allow Acme Dashboard/)
  })

  test('the guide search finds sections that contain every word, and lists those with a word in the heading first', async (t) => {
    const world = await openWorld(t)
    const search = async (q: string) => {
      const response = await fetch(`${world.portalUrl}/guides?q=${encodeURIComponent(q)}`)
      assert.equal(response.status, 200)
      const text = await response.text()
      const found = /<ul class="found" lang="en">[\s\S]*?<\/ul>/.exec(text)?.[0] ?? ''
      return { text, found, links: [...found.matchAll(/<li><a href="([^"]+)"/g)].map(([, href]) => href) }
    }
    const codes = await search('CLOSE codes')
    assert.equal(codes.links[0], '/guides/runtime-protocol#close-codes')
    assert.match(codes.found, /<mark>code<\/mark>|<mark>Close<\/mark>|<mark>close<\/mark>/)
    assert.ok((await search('x-github-delivery')).links.includes('/guides/webhooks#duplicates'))
    for (const href of codes.links) {
      const [name = '', id = ''] = (href ?? '').replace('/guides/', '').split('#')
      assert.ok(id === '' || (await pageOf(world, name)).text.includes(` id="${id}"`), String(href))
    }
    const nothing = await search('"><script>alert(1)</script>')
    assert.deepEqual(nothing.links, [])
    assert.match(nothing.text, /Nothing found/)
    assert.ok(!nothing.text.includes('<script>alert'))
    // Characters that are special in regular expressions are searched for literally.
    assert.deepEqual((await search('(((.*')).links, [])
    assert.deepEqual([(await search('a')).links.length, (await search('a'.repeat(2_000))).links.length], [30, 0])
    for (const query of ['q=', 'q=%20', 'q=a&q=b', '']) {
      const text = await (await fetch(`${world.portalUrl}/guides?${query}`)).text()
      assert.ok(text.includes('href="/guides/quick-start"'), query)
    }
  })

  test('an unknown guide name returns the 404 page', async (t) => {
    const world = await openWorld(t)
    const names = [
      ...['none', 'none.md', 'README', '.md', '.', '__proto__', 'constructor', 'quick-start.md.md', 'quick-start.html'],
      ...['..%2f..%2fpackage.json', '%2e%2e%2fREADME.md', '..%5c..%5cpackage.json', 'webhooks%00', 'Webhooks'],
      ...['docs%2fwebhooks.md', 'quick-start%2f', 'a'.repeat(5_000)],
    ]
    for (const name of names) {
      const { status, text } = await pageOf(world, name)
      // The client resolves `.`, so this requests the list of guides.
      assert.equal(status, name === '.' ? 200 : 404, name)
      assert.match(text, /^<!doctype html>/)
    }
  })

  test('the portal, an application’s page and a flow’s page link to the guides', async (t) => {
    const { world, browser, application } = await openPopulatedWorld(t)
    for (const page of [world.portalUrl, `${world.portalUrl}/reference`, application.address]) {
      assert.match((await browser.get(page)).text, /<nav class="more"[^\n]*<a href="\/guides">Guides<\/a>/)
    }
    assert.match((await browser.get(`${application.address}/try-outs`)).text, /<a href="\/guides\/sign-in">/)
    const flow = await browser.get(`${world.baseUrl}/bots/lantern/flows/deploys`)
    assert.ok(flow.text.includes(`<a href="${world.portalUrl}/guides/webhooks">`))
  })
})
