import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { budget } from '../support/budget.ts'
import { seeded } from '../support/seeded.ts'
import { openWorld } from '../support/world.ts'
import { resolved, type Schema, valuesOf } from './from-schema.ts'
import { Chance, oddText } from './odd-requests.ts'
import { fillIn } from './route-addresses.ts'
import { provisionScene, type Scene } from './valid-requests.ts'

/** The part of OpenAPI 3.1 that our documents use. */
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: object
}

interface Operation {
  parameters?: readonly { name: string; in: 'path' | 'query'; required: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, DescribedAnswer | { $ref: string }>
}

interface DescribedAnswer {
  headers?: Record<string, object>
  content?: Record<string, { schema: Schema }>
}

/** Number of requests per operation. Long runs send all of them. */
const perOperation = Math.min(16 * budget, 40)
/** The same for operations without a body and a query, whose requests differ only in what came before. */
const perPlainOperation = Math.min(4 * budget, 40)
const seed = Number(process.env.ODD_SEED ?? 20_260_105)

for (const [document, path, service, headersOf] of [
  ['control', '', 'control', ({ world }: Scene) => ({ authorization: `Bearer ${world.operatorKey}` })],
  ['base', '/api', 'base', ({ personalToken }: Scene) => ({ authorization: `Bearer ${personalToken}` })],
  ['api', '', 'base', ({ browser }: Scene) => ({ cookie: browser.cookieHeader() })],
] as const) {
  test(`our choice: every response to requests generated from {${document}_url}${path}/openapi.json is described there, and invalid JSON bodies are rejected`, async (t) => {
    const world = await openWorld(t, { OWNER_FLOWS: 'on' })
    const scene = await provisionScene(world)
    const described = await (await fetch(`${world[`${document}Url`]}${path}/openapi.json`)).json()
    await tryAll(world[`${service}Url`], scene, described as Document, headersOf(scene))
  })
}

async function tryAll(url: string, scene: Scene, document: Document, headers: Record<string, string>): Promise<void> {
  const chance = new Chance(seeded(seed))
  const credentials = { client_id: scene.client.clientId, client_secret: scene.client.clientSecret }
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? { none: { schema: {} } })) {
        const isPlain = type === 'none' && !operation.parameters?.some((parameter) => parameter.in === 'query')
        const numRuns = isPlain ? perPlainOperation : perOperation
        const bodies = fc.sample(valuesOf(schema, document), { numRuns, seed })
        for (const whole of bodies) {
          // Most OAuth requests carry valid client credentials.
          const asked =
            path.startsWith('/api/oauth/') && chance.often(80) ? { ...(whole as object), ...credentials } : whole
          const body = type === 'none' ? undefined : oddlyChanged(asked, chance)
          const address = url + fillIn(path, scene.names) + queryOf(operation, scene, document, chance)
          const init = { method: method.toUpperCase(), redirect: 'manual' as const, ...sent(body, type, headers) }
          const answer = await fetch(address, init)
          const said = `${init.method} ${address} ${init.body ?? ''} is answered ${answer.status}`
          await isDescribed(answer, operation, document, said)
          const meant = path.startsWith('/api/oauth/') ? withoutEmpty(body) : body
          const breaks = type === 'application/json' && !fits(schema, document, meant)
          if (breaks) assert.ok(answer.status >= 400, `${said} though it breaks its description`)
          if (chance.often(4)) await scene.world.clock.advance(61_000)
        }
      }
    }
  }
}

/** Removes empty parameters, because OAuth endpoints treat them as absent (RFC 6749 section 3.1). */
function withoutEmpty(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''))
}

function sent(body: unknown, type: string, headers: Record<string, string>) {
  if (body === undefined) return { headers }
  const text =
    type === 'application/json'
      ? JSON.stringify(body)
      : String(new URLSearchParams(Object.entries(body as object).map(([name, value]) => [name, String(value)])))
  return { headers: { ...headers, 'content-type': type }, body: text }
}

/**
 * Usually returns the body unchanged. Otherwise changes the value of one member, or replaces the member with an unknown
 * one.
 */
function oddlyChanged(body: unknown, chance: Chance): unknown {
  if (typeof body !== 'object' || body === null || chance.often(60)) return body
  const members = Object.entries(body)
  const at = chance.below(members.length)
  const odd = chance.oneOf<unknown>([
    null,
    1,
    true,
    [],
    {},
    '',
    oddText(chance),
    [oddText(chance)],
    { a: oddText(chance) },
  ])
  const name = members[at]?.[0] ?? 'name'
  const [change] = chance.oneOf([[[]], [[[name, odd]]], [[[name, odd]]], [[[oddText(chance), odd]]]] as [
    string,
    unknown,
  ][][][])
  return Object.fromEntries([...members.filter(([one]) => one !== name || change?.length === 0), ...(change ?? [])])
}

function queryOf({ parameters = [] }: Operation, { client }: Scene, document: object, chance: Chance): string {
  const known: Record<string, string> = {
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    scope: 'bots.read',
  }
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query' && chance.often(parameter.required ? 95 : 50))
    .map(({ name, schema }) => {
      const [value] = fc.sample(valuesOf(schema, document), { numRuns: 1, seed: chance.below(1_000_000) })
      return [
        name,
        chance.often(10) ? oddText(chance) : chance.often(90) ? (known[name] ?? String(value)) : String(value),
      ]
    })
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

async function isDescribed(answer: Response, { responses }: Operation, document: Document, said: string) {
  const text = await answer.text()
  const given = responses[answer.status]
  assert.ok(given, `${said}, which is not described: ${text}`)
  const { content, headers } = resolved<DescribedAnswer>(given, document)
  for (const name of Object.keys(headers ?? {})) assert.ok(answer.headers.has(name), `${said} without ${name}`)
  if (content === undefined) return
  const [type = '', { schema } = { schema: {} }] = Object.entries(content)[0] ?? []
  assert.equal(answer.headers.get('content-type')?.split(';')[0], type, said)
  const values = type === 'application/x-ndjson' ? text.split('\n').slice(0, -1) : [text]
  for (const value of values) assert.ok(fits(schema, document, JSON.parse(value)), `${said} in another shape: ${value}`)
}

const validators = new Map<Schema, (value: unknown) => boolean>()
/** Does not check formats such as date-time. */
const ajv = new Ajv2020({ strict: false, validateFormats: false })

function fits(schema: Schema, { components }: Document, value: unknown): boolean {
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, components })
  validators.set(schema, validate)
  return validate(value)
}
