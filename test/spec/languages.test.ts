import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Language } from '../../src/domain/language.ts'
import { catalogueFolder, keyOf, readCatalogue } from '../../src/pages/catalogues.ts'
import { openScene } from '../support/bot-people.ts'
import { BotRuntime, untilStored } from '../support/bot-runtime.ts'
import { sourceMessages } from '../support/messages.ts'
import { Browser, provision } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

/** Texts that are the same in both languages: names, protocol terms and loanwords. */
const sameInBoth = new Set(
  `Gatehouse PIN Passkeys Browser UTC Bot Bots Person Name Status Hosting Server Shards Cloud Online online Offline offline Flow Flows Webhook Test Runtime Runtimes CLI
  Debug Info JSON HTML Markdown System GitHub Stripe Slack Shopify Discord curl Node Python CSV NDJSON ms sha1 sha256 sha512 hex base64 English Deutsch Relay
  –`.split(/\s+/),
)

/** Returns the texts on a page: visible text, labels, titles, and texts that scripts can show. */
function textsOf(page: string): string[] {
  const body = page.slice(page.indexOf('<title>')).replace(/<(script|style)\b[\s\S]*?<\/\1>/g, '')
  const attributes = [
    ...body.matchAll(
      / (?:aria-label|title|alt|placeholder|data-(?!testid|label|events|script|live=|name|copy=)[a-z-]+)="([^"]*)"/g,
    ),
  ].map(([, text = '']) => text)
  const between = body.replace(/<(code|pre|time)\b[^>]*>[\s\S]*?<\/\1>/g, '').split(/<[^>]*>/)
  return [...between, ...attributes]
    .map((text) => text.replace(/\s+/g, ' ').replaceAll('&#39;', "'").replaceAll('&amp;', '&').trim())
    .filter((text) => /\p{L}{2}/u.test(text))
}

describe('our choice: texts in several languages (decision 0169)', () => {
  for (const file of globSync('*.po', { cwd: catalogueFolder })) {
    const text = readFileSync(join(catalogueFolder, file), 'utf8')

    test(`${file} translates every text of the source, and nothing else`, () => {
      const keys = sourceMessages().map(({ id, context }) => keyOf(id, context))
      const { messages, faults } = readCatalogue(file.replace('.po', '') as Language, text)
      assert.deepEqual(faults, [])
      assert.deepEqual(
        {
          missing: keys.filter((key) => !messages.has(key)),
          unused: [...messages.keys()].filter((key) => !keys.includes(key)),
        },
        { missing: [], unused: [] },
        'run npm run catalogues, and translate what it adds',
      )
    })
  }

  test('German texts use German quotation marks and never “du”', () => {
    const { messages } = readCatalogue('de', readFileSync(join(catalogueFolder, 'de.po'), 'utf8'))
    const said = [...messages.values()].flat().map(({ parts }) => parts.join('').replace(/<[^>]*>/g, ''))
    assert.deepEqual(
      said.filter((text) => /[“][^„]*”|\b(du|dein\w*|dich|dir)\b/i.test(text)),
      [],
    )
  })

  test('a translation with other markup or placeholders than its text is not used', () => {
    const entry = (id: string, ...translations: string[]) => {
      const forms = translations.map((form, at) => `msgstr[${at}] ${JSON.stringify(form)}`)
      const text =
        translations.length > 1
          ? [`msgid_plural ${JSON.stringify(id)}`, ...forms].join('\n')
          : `msgstr ${JSON.stringify(translations[0])}`
      return readCatalogue('de', `msgid ""\nmsgstr ""\n\nmsgid ${JSON.stringify(id)}\n${text}\n`).faults.length === 0
    }
    for (const [id, ...translations] of [
      ['Hello {0}', 'Hallo {0}'],
      ['{0} of {1}', '{1}: {0}'],
      ['<a href="{0}">Go</a> <b>now</b>', '<b>Jetzt</b> <a href="{0}">los</a>'],
      ['{0} bots', 'Ein Bot', '{0} Bots'],
    ] as const) {
      assert.ok(entry(id, ...translations), translations.join())
    }
    for (const [id, ...translations] of [
      ['Hello {0}', 'Hallo'],
      ['Hello', 'Hallo {0}'],
      ['Hello', '<b>Hallo</b>'],
      ['Hello', 'Hallo <script'],
      ['<b>Hello</b>', 'Hallo'],
      ['<b>Hello</b>', '</b>Hallo<b>'],
      ['<a href="{0}">Go</a>', '<a href="{0}" onclick="{0}">Los</a>'],
      ['<b>{0}</b> <i>{1}</i>', '<b><i>{0}</b> {1}</i>'],
      ['{0} bots', '{0} Bot', 'Bots'],
      ['{0} bots', '{0} Bot', '{0} Bots', '{0} Bots'],
    ] as const) {
      assert.ok(!entry(id, ...translations), translations.join())
    }
  })

  test('browser scripts contain no texts; the page provides the texts', () => {
    const assets = join(import.meta.dirname, '../../src/pages/assets')
    for (const file of globSync('*.js', { cwd: assets })) {
      const code = readFileSync(join(assets, file), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
      const literals = [...code.matchAll(/'([^'\n]*)'|`([^`]*)`/g)].map(
        ([, plain, template]) => plain ?? template ?? '',
      )
      assert.deepEqual(
        literals.filter((text) => /[A-Z]\p{L}+ \p{L}+/u.test(text)),
        [],
        file,
      )
    }
  })

  test('the header and the passkey forms are in German', async (t) => {
    const world = await openWorld(t)
    const german = { headers: { 'accept-language': 'de' } }
    const signIn = await (await fetch(`${world.baseUrl}/sign-in`, german)).text()
    assert.match(signIn, /data-unreachable="Der Dienst ist nicht erreichbar\./)
    assert.match(signIn, /data-refused="Kein Passkey verwendet:/)
    const browser = new Browser()
    await browser.get(`${world.portalUrl}/appearance/language/de`)
    await browser.get(`${world.baseUrl}/appearance/language/de`)
    assert.match((await browser.visit(world.portalUrl, world)).text, /weiter zu <strong>Entwicklerportal<\/strong>/)
    const portal = await (await fetch(`${world.portalUrl}/sign-out`, german)).text()
    assert.match(portal, /<title>Abgemeldet · Entwicklerportal<\/title>/)
    assert.match(portal, /height="28">Entwicklerportal<\/a>/)
    const nowhere = await (await fetch(`${world.portalUrl}/nowhere`, german)).text()
    assert.match(nowhere, />Entwicklerportal öffnen<\/a>/)
  })

  test('bot and status pages in German contain no English text', async (t) => {
    const { world, as, at } = await openScene(t)
    const flow = { kind: 'event', name: 'Zaehler', webhook: { path: 'orders', requiresKey: true } }
    await provision(world, 'PUT', '/v1/bots/bot-1', { publicStatus: true, plan: 'x' })
    await provision(world, 'PUT', '/v1/bots/bot-1/flows/orders', flow)
    await provision(world, 'PUT', '/v1/bots/bot-1/flows/plain', { kind: 'command', name: 'Plain' })
    await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries: [{ level: 'warn', message: 'Xx' }] })
    const ada = await as('ada')
    const made = await ada.submit(await ada.get(at('/bots/bot-1/runtimes')), { name: 'Attic' }, '/runtimes')
    const [key = ''] = /svc_rk_\w+/.exec(made.text) ?? []
    const { runtime } = await BotRuntime.ready(t, world, key)
    await ada.submit(await ada.get(at('/bots/bot-1/flows/orders/test')), {}, '/test')
    const { delivery, id } = await runtime.next('dispatch')
    runtime.send({ type: 'nack', delivery, error: 'Xx', dead: true })
    await untilStored(world, 'bot-1', id)

    const names =
      /^(Ada|Ed|Vi|Stan|Weather|Zaehler|Plain|Attic|poetry|command|event|x|test\/1|svc-key|Xx|free|application\/json|Gatehouse-Test\/1|content-type|user-agent|x-forwarded-for|x-request-id|ev[\w-]+|\{ &quot;test.*|[\d-]+ [\d:]+ UTC)$/
    const seen = new Set<string>()
    const waiting = ['/bots', '/botstatus/bot-1', '/bots/none', '/bots/bot-1/none', '/botstatus/none']
    const faults: string[] = []
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (seen.has(path.replace(/\?.*/, ''))) continue
      seen.add(path.replace(/\?.*/, ''))
      const [english, german] = [await speaking('en', path), await speaking('de', path)]
      const inEnglish = new Set(textsOf(english))
      for (const text of textsOf(german)) {
        const known =
          names.test(text) ||
          text.split(/[\s:·()]+/).every((word) => sameInBoth.has(word) || names.test(word) || !/\p{L}{2}/u.test(word))
        if (inEnglish.has(text) && !known) faults.push(`${path}: ${text}`)
      }
      for (const [, to = ''] of german.matchAll(/(?:href|method="get" action)="(\/bots[^"#]*)"/g)) {
        if (!/\/(body|api|export\.\w+)(\?|$)/.test(to)) waiting.push(to)
      }
    }
    assert.ok(seen.size > 20, [...seen].join('\n'))
    assert.deepEqual([...new Set(faults)], [])

    async function speaking(language: Language, path: string): Promise<string> {
      await ada.get(at(`/appearance/language/${language}`))
      const { text } = await ada.get(at(path))
      assert.match(text, new RegExp(`^<!doctype html>\n<html lang="${language}"`), path)
      return text
    }
  })
})
