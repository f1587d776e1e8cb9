import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import type { Application } from '../src/domain/applications/applications.ts'
import {
  type RedirectFaultReason,
  readAuthorizationRequest,
} from '../src/domain/authorization/authorization-request.ts'
import { AuthorizationRefusal } from '../src/domain/authorization/refusal.ts'
import { describeScopes, needsPin, standardScopes } from '../src/domain/authorization/scope.ts'
import * as limits from '../src/domain/limits/limits.ts'
import { OAuthRefusal, oauthErrorOf, oauthReasons } from '../src/oauth/responses.ts'
import * as botStatus from '../src/surfaces/bot-status/status-api.ts'
import { catalogue } from '../src/surfaces/guides/catalogue.ts'
import { healthRecord } from '../src/surfaces/health/health.ts'
import { userinfoResponse } from '../src/surfaces/oauth/userinfo.ts'
import * as webhooks from '../src/surfaces/webhook-gateway/wire-errors.ts'
import { openAda, postForm } from './support/people.ts'
import { pluck } from './support/together.ts'
import { openWorld } from './support/world.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Returns the rows of the table under this heading, each as a list of cells. */
function rowsUnder(text: string, heading: string): string[][] {
  const part = text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? ''
  const lines = part.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const without = (cells: readonly string[]) => cells.map((cell) => cell.replaceAll('`', ''))

describe('docs/errors.md', () => {
  const errors = read('docs/errors.md')

  test('docs/errors.md lists each error of the OAuth endpoints with its status and description', () => {
    const sent = oauthReasons.map((reason) => {
      const refusal =
        reason === 'scope-exceeds-grant'
          ? new AuthorizationRefusal(reason, { scope: '{scope}' })
          : new OAuthRefusal(reason as 'parameter-missing', { parameter: '{parameter}' })
      const { status, error, description } = oauthErrorOf(refusal)
      return `${status} ${error}: ${description}`
    })
    const listed = rowsUnder(errors, 'Token, revoke, introspect and userinfo').map((row) => without(row))
    const said = listed.map(([code, description]) => `${code}: ${description}`)
    assert.deepEqual(said.sort(), [...new Set(sent), '503 temporarily_unavailable: '].sort())
  })

  test('docs/errors.md lists each error of the authorization redirect', async () => {
    const sound = { response_type: 'code', scope: 'user.identify' }
    const challenge = 'a'.repeat(43)
    const queries: Record<RedirectFaultReason, Record<string, string | undefined>> = {
      'parameter-repeated': { ...sound, scope: 'repeated' },
      'state-too-long': { ...sound, state: 'a'.repeat(5_000) },
      'response-type-missing': { ...sound, response_type: undefined },
      'response-type-unsupported': { ...sound, response_type: 'token' },
      'scope-missing': { ...sound, scope: undefined },
      'scope-unknown': { ...sound, scope: 'none' },
      'challenge-missing': { ...sound, code_challenge_method: 'S256' },
      'challenge-method-unsupported': { ...sound, code_challenge: challenge },
      'challenge-malformed': { ...sound, code_challenge: 'short', code_challenge_method: 'S256' },
      'pkce-required': sound,
    }
    const sent = await Promise.all(
      Object.entries(queries).map(async ([reason, query]) => {
        const fault = await faultOf(query, reason === 'pkce-required')
        assert.equal(fault.reason, reason)
        const name = reason === 'parameter-repeated' ? '{parameter}' : 'scope'
        const description = fault.description.replace('parameter scope', `parameter ${name}`)
        return [fault.error, description.replace('The scope none ', 'The scope {scope} ')]
      }),
    )
    const listed = rowsUnder(errors, 'Redirect errors').map((row) => without(row).slice(0, 2))
    const all = [...sent, ['access_denied', ''], ['consent_required', '']]
    assert.deepEqual(listed.map(String).sort(), all.map(String).sort())
  })

  test('docs/errors.md lists each error of pushed authorization requests', async (t) => {
    const { world, client } = await openAda(t)
    const { clientId: client_id, clientSecret: client_secret, redirectUri: redirect_uri } = client
    const sound = { client_id, client_secret, response_type: 'code', scope: 'user.identify' }
    const descriptions: string[] = []
    for (const body of [
      sound,
      { ...sound, redirect_uri: `${redirect_uri}/` },
      { ...sound, redirect_uri, request_uri: 'urn:example:none' },
    ]) {
      const { status, json } = await postForm(`${world.baseUrl}/api/oauth/par`, body)
      assert.equal(status, 400)
      assert.equal(json.error, 'invalid_request')
      descriptions.push(json.error_description)
    }
    const listed = rowsUnder(errors, 'Pushed authorization requests').map(([description]) => description)
    assert.deepEqual(listed, descriptions)
  })

  test('docs/errors.md lists the statuses that come before any page', async (t) => {
    const { baseUrl } = await openWorld(t)
    const statusOf = async (headers: Record<string, string>) =>
      String((await fetch(`${baseUrl}/sign-in`, { headers })).status)
    const sent = [
      await statusOf({ 'sec-purpose': 'prefetch' }),
      await statusOf({ 'x-large': 'x'.repeat(limits.pageHeadersMaxBytes) }),
    ]
    assert.deepEqual(pluck(rowsUnder(errors, 'Pages'), 0), sent)
  })

  const { wireErrors, accepted: _, webhookPattern: __, ...others } = webhooks
  const { internalFailure, limitExceeded, methodNotAllowed, notFound } = botStatus
  for (const [heading, sent] of [
    ['Webhook gateway', [...Object.values(wireErrors), ...Object.values(others)]],
    ['Bot status', [internalFailure, limitExceeded(7), methodNotAllowed, notFound]],
  ] as const) {
    test(`docs/errors.md lists each error under ${heading}`, () => {
      const listed = rowsUnder(errors, heading).map((row) => without(row).slice(0, 2).join(' '))
      assert.deepEqual(listed.sort(), [...new Set(sent.map(({ status, body }) => `${status} ${body}`))].sort())
    })
  }

  test('docs/errors.md lists each reason that the gateway’s health endpoint returns', () => {
    const reasons = (['not-configured', 'not-ready', 'failing'] as const).map(
      (reason) => (healthRecord({ kind: 'unhealthy', reason }).record as { reason: string }).reason,
    )
    assert.deepEqual(pluck(rowsUnder(errors, 'Gateway health').map(without), 0), reasons)
  })
})

test('docs/scopes.md lists each scope with its description, its userinfo members and whether it needs the PIN', () => {
  const descriptions = describeScopes([])
  const members = Object.entries(userinfoResponse.properties).map(([name, schema]) => ({
    name,
    description: (schema as { description?: string }).description ?? '',
  }))
  const expected = standardScopes.map((scope) => {
    const own = members.filter(({ description }) => description.startsWith(`Scope ${scope}`)).map(({ name }) => name)
    return [scope, descriptions[scope], own.join(', ') || 'nothing', needsPin([scope]) ? 'yes' : 'no']
  })
  const rows = read('docs/scopes.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => without(line.split('|').slice(1, -1)).map((cell) => cell.trim()))
  assert.deepEqual(rows, expected)
})

test('the catalogue of guides has each page about a library, and README.md or its page about signing in links to each guide', () => {
  const files: string[] = catalogue.map(({ file }) => file)
  const linked = read('README.md') + read('docs/integrate/README.md').replaceAll('](', '](docs/integrate/')
  assert.deepEqual(
    {
      missing: globSync('docs/integrate/*.md', { cwd: root }).filter((file) => !files.includes(file)),
      unlinked: files.filter((file) => !linked.includes(`](${file})`)),
    },
    { missing: [], unlinked: [] },
  )
})

test('each relative link of a Markdown file leads to a file, and to a heading in it', () => {
  const documents = globSync('{*.md,{bench,clients,demo,deploy,docs,examples,src,test}/**/*.md}', {
    cwd: root,
    exclude: ['**/node_modules'],
  })
  const wrong = documents.flatMap((file) => {
    const prose = read(file).replace(/^ *```[\s\S]*?^ *```$/gm, '')
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    return links
      .filter((target) => !/^(https?:|mailto:|\{)/.test(target) && !leadsSomewhere(file, target))
      .map((target) => `${file}: ${target}`)
  })
  assert.deepEqual(wrong, [])
})

function leadsSomewhere(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? file : join(dirname(file), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchorsOf(read(target)).includes(anchor)
}

/** Returns the anchors of the headings, as GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

async function faultOf(query: Record<string, string | undefined>, requirePkce: boolean) {
  const redirectUri = 'https://client.example/callback'
  const value = (text: string) => ({ text, encoded: encodeURIComponent(text) })
  const given = Object.entries(query).flatMap(([name, text]) => {
    if (text === undefined) return []
    return [[name, text === 'repeated' ? [value(text), value(text)] : [value(text)]] as const]
  })
  const parameters = new Map([['client_id', [value('svc_ci_one')]], ['redirect_uri', [value(redirectUri)]], ...given])
  const application = { redirectUris: [redirectUri], environment: 'production', requirePkce } as unknown as Application
  const reading = await readAuthorizationRequest(parameters, {
    clientById: async () => application,
    knownScopes: async () => standardScopes,
  })
  assert.equal(reading.kind, 'redirect')
  return reading as Extract<typeof reading, { kind: 'redirect' }>
}
