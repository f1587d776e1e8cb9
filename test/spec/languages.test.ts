import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Language } from '../../src/domain/language.ts'
import { html, Words } from '../../src/pages/html.ts'
import { openScene } from '../support/bot-people.ts'
import { BotRuntime, untilStored } from '../support/bot-runtime.ts'
import { Browser, provision } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

const root = join(import.meta.dirname, '../../src')
const given = 'GIVEN'

/** Texts that are the same in both languages: names, protocol terms and loanwords. */
const sameInBoth = new Set(
  `Gatehouse PIN Passkeys Browser UTC Bot Bots Person Name Status Hosting Server Shards Cloud Online online Offline offline Flow Flows Webhook Test Runtime Runtimes CLI
  Debug Info JSON HTML Markdown System GitHub Stripe Slack Shopify Discord curl Node Python CSV NDJSON ms sha1 sha256 sha512 hex base64 English Deutsch Relay
  –`.split(/\s+/),
)

/** Protocol terms that appear as headings in the developer portal. On other pages they count as untranslated. */
const namesOfTheProtocol = new Set(['PKCE', 'Scopes', 'State', 'Token', 'Userinfo', 'Body'])

interface Said {
  where: string
  en: string
  de: string
}

/** Collects all texts from the word files. Functions are called with sample arguments to get their texts. */
async function catalogs(): Promise<Said[]> {
  const all: Said[] = []
  const walk = (where: string, value: unknown): void => {
    if (value instanceof Words) all.push({ where, en: html`${value}`.in('en'), de: html`${value}`.in('de') })
    else if (typeof value === 'function')
      for (const result of resultsOf(value as (...given: unknown[]) => unknown)) walk(`${where}()`, result)
    else if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
      for (const [name, inside] of Object.entries(value)) walk(`${where}.${name}`, inside)
    }
  }
  for (const file of globSync('{pages/words/**/*,surfaces/**/words,surfaces/**/*-words,surfaces/**/words/*}.ts', {
    cwd: root,
  })) {
    for (const [name, value] of Object.entries(await import(join(root, file)))) walk(`${file} ${name}`, value)
  }
  return all
}

function resultsOf(say: (...given: unknown[]) => unknown): unknown[] {
  // Skips functions that need other arguments. The test of all pages below covers their texts.
  return [given, 1, 2_345_678].flatMap((one) => {
    try {
      const result = say(one, one, one, one)
      return result instanceof Words && !/NaN|Invalid/.test(html`${result}`.in('en')) ? [result] : []
    } catch {
      return []
    }
  })
}

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

describe('our choice: texts in two languages (decision 0025)', () => {
  let said: Said[]
  before(async () => {
    said = await catalogs()
  })

  test('each page text has a German translation', () => {
    assert.ok(said.length > 400, String(said.length))
    const same = said.filter(({ en, de }) => {
      const rest = en
        .replace(/<[^>]*>/g, ' ')
        .replaceAll(given, '')
        .replace(/[\d.,:()%•/ ]+/g, ' ')
        .trim()
      return (
        en === de &&
        rest !== '' &&
        !rest.split(' ').every((word) => sameInBoth.has(word) || namesOfTheProtocol.has(word))
      )
    })
    assert.deepEqual(same, [])
  })

  test('German texts use German quotation marks and never “du”', () => {
    const wrong = said.filter(({ de }) => /[“][^„]*”|\b(du|dein\w*|dich|dir)\b/i.test(de.replace(/<[^>]*>/g, '')))
    assert.deepEqual(wrong, [])
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
