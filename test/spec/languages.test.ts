import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Language } from '../../src/domain/language.ts'
import { addCatalogues, catalogueFolder, keyOf, readCatalogue } from '../../src/pages/catalogues.ts'
import { crawl } from '../browser/every-page.ts'
import { type SourceMessage, sourceMessages } from '../support/messages.ts'
import { aClient, Browser, openBot, provision } from '../support/people.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { pluck } from '../support/together.ts'
import { openWorld } from '../support/world.ts'

/** Returns the texts on a page: visible text, labels, titles, and texts that scripts can show. */
function textsOf(page: string): string[] {
  const body = page.slice(page.indexOf('<title>')).replace(/<(script|style)\b[\s\S]*?<\/\1>/g, '')
  const attribute =
    / (?:aria-label|title|alt|placeholder|data-(?!testid|label|events|script|live=|name|copy=)[a-z-]+)="([^"]*)"/g
  const attributes = Array.from(body.matchAll(attribute), ([, text = '']) => text)
  const between = body.replace(/<(code|pre|time|textarea)\b[^>]*>[\s\S]*?<\/\1>/g, '').split(/<[^>]*>/)
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
      const missing = keys.filter((key) => !messages.has(key))
      const unused = [...messages.keys()].filter((key) => !keys.includes(key))
      const remedy = 'run npm run catalogues, and translate what it adds'
      assert.deepEqual({ missing, unused }, { missing: [], unused: [] }, remedy)
    })
  }

  for (const [language, rule, fault] of [
    ['de', 'German quotation marks and never “du”', /[“][^„]*”|\b(du|dein\w*|dich|dir)\b/i],
    [
      'fr',
      'narrow spaces that don’t break, French quotation marks and “vous”',
      /[^\u202f][;!?»]| [:%]|«[^\u202f]|[“”"']|(?<!\p{L})(tu|toi|ton|ta|tes)(?!\p{L})/iu,
    ],
    [
      'es',
      'an opening mark before each question and exclamation, “ ” as quotation marks, and never “usted” or “vosotros”',
      /(^|[.?!:] ?)[^¿.?]*\?|(^|[.?!:] ?)[^¡.!]*!|[«»"']|(?<!\p{L})(ustedes|usted|vosotr[oa]s|vuestr[oa]s?|vos)(?!\p{L})/iu,
    ],
  ] as const) {
    test(`texts in ${language} use ${rule}`, () => {
      const { messages } = readCatalogue(language, readFileSync(join(catalogueFolder, `${language}.po`), 'utf8'))
      const said = [...messages.values()].flat().map(({ parts }) => parts.join('{}').replace(/<[^>]*>/g, ''))
      const faulty = said.filter((text) => fault.test(text))
      assert.deepEqual(faulty, [])
    })
  }

  test('a million takes the last plural form where whole numbers up to 200 have no form for it', () => {
    const { pluralOf } = readCatalogue('fr', '')
    assert.deepEqual([0, 1, 2, 1_000_000].map(pluralOf), [0, 0, 1, 1])
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
      const literals = pluck(code.matchAll(/'[^'\n]*'|`[^`]*`/g), 0)
      const texts = literals.filter((text) => /[A-Z]\p{L}+ \p{L}+/u.test(text))
      assert.deepEqual(texts, [], file)
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
    assert.match(portal, /height="28"><span class="words">Entwicklerportal</)
    const nowhere = await (await fetch(`${world.portalUrl}/nowhere`, german)).text()
    assert.match(nowhere, />Entwicklerportal öffnen<\/a>/)
  })

  test('a catalogue in the operator’s folder adds a language; the log names an entry that can’t be used', async (t) => {
    const catalogue = `msgid ""\nmsgstr ""\n\nmsgid "Email address"\nmsgstr "Indirizzo email"\n\nmsgid "Password"\nmsgstr "<b>Parola d’accesso</b>"\n`
    const world = await openWorld(t, { CATALOGUES_DIR: folderWith(t, 'it.po', catalogue) })
    const italian = new Browser({}, { 'accept-language': 'it-CH, de;q=0.5' })
    const { text } = await italian.get(`${world.baseUrl}/sign-in`)
    assert.match(text, /^<!doctype html>\n<html lang="it"/)
    const current = '<a class="current" href="/appearance/language/it" hreflang="it" lang="it" rel="nofollow">Italiano<'
    assert.ok(text.includes(current), text)
    assert.match(text, />Indirizzo email</)
    assert.match(text, />Password</)
    assert.match(world.logs(), /it\.po: “Password” has other markup/)
    const browser = new Browser()
    await browser.get(`${world.baseUrl}/appearance/language/it`)
    assert.match((await browser.get(`${world.baseUrl}/sign-in`)).text, /<html lang="it"/)
  })

  test('in a generated language, no page has a text of its own in English', async (t) => {
    const env = { CATALOGUES_DIR: folderWith(t, 'el.po', generatedCatalogue()) }
    const { world, ada, putBot, putFlow } = await openBot(t, env)
    await putBot({ name: 'WEATHER', publicStatus: true, plan: 'plan' })
    await putFlow({ requiresKey: true }, 'orders', 'ZAEHLER')
    await provision(world, 'PUT', '/v1/bots/bot-1/flows/plain', { kind: 'command', name: 'PLAIN' })
    await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries: [{ level: 'warn', message: 'MESSAGE' }] })
    await aClient(world, 'app', { name: 'APPLICATION' })
    const faults = new Set<string>()
    let pages = 0
    const walk = async (browser: Browser, ...addresses: string[]) => {
      for (const site of [world.baseUrl, world.portalUrl]) await browser.get(`${site}/appearance/language/el`)
      for (const [address, { text }] of await crawl(browser, world, addresses)) {
        const { pathname } = new URL(address)
        if (/^\/(guides|reference)\b/.test(pathname)) continue
        pages += 1
        assert.match(text, /^<!doctype html>\n<html lang="el"/, address)
        const english = textsOf(text).filter((said) => /[a-z]{2}/i.test(said.replace(names, '')))
        for (const said of english) faults.add(`${pathname}: ${said}`)
      }
    }
    const atBase = (...paths: string[]) => paths.map((path) => world.baseUrl + path)
    await walk(new Browser(), ...atBase('/sign-in', '/sign-up', '/forgot-password', '/botstatus/bot-1', '/none'))
    await ada.visit(world.portalUrl, world)
    await walk(ada, ...atBase('/account', '/bots', '/search?q=weather'), `${world.portalUrl}/`)
    assert.ok(pages > 45, String(pages))
    assert.deepEqual([...faults], [])
  })
})

/** Creates a folder with this file, and removes it and its languages after the test. */
function folderWith(t: TestContext, file: string, text: string): string {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, file), text)
  t.after(() => addCatalogues(undefined))
  return folder
}

/** Names, which are the same in every language, and words with a slash, dot, hyphen, underscore or colon, which are identifiers. */
const names = new RegExp(
  `\\b(${[
    'Ada|Ed|Vi|Stan|ZAEHLER|PLAIN|MESSAGE|APPLICATION|WEATHER|weather|plan|poetry|Gatehouse|Developer portal',
    'English|Deutsch|Français|Español|UTC|PIN|CSV|NDJSON|Token|Userinfo|Revoke|scope|Node|node|Python|CLI|curl|Passport|Authlib|Markdown|HTML',
    'GitHub|Stripe|Slack|Shopify|Discord|Standard Webhooks|Svix|OpenAI|Clerk|Resend|sha1|sha256|sha512|hex|base64',
    'command|event|registration|case|www|port',
  ].join('|')})\\b|\\S*[/.:_-]\\S*`,
  'g',
)

/** Returns a catalogue in which every letter of a text has an accent, so that texts that are not from it stand out. */
function generatedCatalogue(): string {
  const accented = (text: string) =>
    text.replace(/<[^>]*>|&\w+;|\{\d+\}|[a-z]/gi, (part) => (part.length > 1 ? part : `${part}\u0301`))
  const entry = ({ id, plural, context }: SourceMessage) => {
    const lines = [`msgid ${JSON.stringify(id)}`]
    if (context !== undefined) lines.unshift(`msgctxt ${JSON.stringify(context)}`)
    if (plural === undefined) lines.push(`msgstr ${JSON.stringify(accented(id))}`)
    else {
      lines.push(`msgid_plural ${JSON.stringify(plural)}`)
      for (const form of [0, 1]) lines.push(`msgstr[${form}] ${JSON.stringify(accented(form === 0 ? id : plural))}`)
    }
    return lines.join('\n')
  }
  return ['msgid ""\nmsgstr ""', ...sourceMessages().map(entry)].join('\n\n')
}
