import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { budget } from '../support/budget.ts'
import { type Document, documentAt, type Operation, operationsOf, resolved, type Schema } from '../support/openapi.ts'
import { seeded } from '../support/seeded.ts'
import { openWorld } from '../support/world.ts'
import { valuesOf } from './from-schema.ts'
import { Chance, oddText } from './odd-requests.ts'
import { fillIn } from './route-addresses.ts'
import { provisionScene, type Scene } from './valid-requests.ts'

/** Number of requests per operation. Long runs send all of them. */
const perOperation = Math.min(16 * budget, 40)
/** The same for operations without a body and a query, whose requests differ only in what came before. */
const perPlainOperation = Math.min(4 * budget, 40)
const seed = Number(process.env.ODD_SEED ?? 20_260_105)

for (const [listener, path, service, headersOf] of [
  ['control', '', 'control', ({ world }: Scene) => ({ authorization: `Bearer ${world.operatorKey}` })],
  ['base', '/api', 'base', ({ personalToken }: Scene) => ({ authorization: `Bearer ${personalToken}` })],
  ['api', '', 'base', ({ browser }: Scene) => ({ cookie: browser.cookieHeader() })],
] as const) {
  test(`our choice: {${listener}_url}${path}/openapi.json limits each string, array and map in a request, and describes every response to requests generated from it; JSON bodies that are invalid or beyond a limit are rejected`, async (t) => {
    const world = await openWorld(t, { OWNER_FLOWS: 'on' })
    const scene = await provisionScene(world)
    const document = await documentAt(`${world[`${listener}Url`]}${path}`)
    assert.deepEqual([...placesWithoutBound(document)], [])
    const beyond = await tryAll(world[`${service}Url`], scene, document, headersOf(scene))
    if (listener === 'control') assert.ok(beyond > 20, `only ${beyond} requests were beyond a limit`)
  })
}

/** Returns how many requests to the control API had a text or list beyond its limit. */
async function tryAll(url: string, scene: Scene, document: Document, headers: Record<string, string>): Promise<number> {
  let beyond = 0
  const chance = new Chance(seeded(seed))
  const credentials = { client_id: scene.client.clientId, client_secret: scene.client.clientSecret }
  for (const { path, method, operation } of operationsOf(document)) {
    for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? { none: { schema: {} } })) {
      const isPlain = type === 'none' && !operation.parameters?.some((parameter) => parameter.in === 'query')
      const numRuns = isPlain ? perPlainOperation : perOperation
      for (const whole of fc.sample(valuesOf(schema, document), { numRuns, seed })) {
        // Most OAuth requests carry valid client credentials.
        const asked =
          path.startsWith('/api/oauth/') && chance.often(80) ? { ...(whole as object), ...credentials } : whole
        const longer = chance.often(25) ? beyondBounds(schema, document, asked) : []
        const changed = longer.length > 0 ? chance.oneOf(longer) : oddlyChanged(asked, chance)
        const body = type === 'none' ? undefined : changed
        const address = url + fillIn(path, scene.names) + queryOf(operation, scene, document, chance)
        const init = { method, redirect: 'manual' as const, ...sent(body, type, headers) }
        const answer = await fetch(address, init)
        const said = `${method} ${address} ${init.body ?? ''} is answered ${answer.status}`
        const text = await describedBody(answer, operation, document, said)
        const meant = path.startsWith('/api/oauth/') ? withoutEmpty(body) : body
        const breaks = type === 'application/json' && !fits(schema, document, meant)
        if (breaks) assert.ok(answer.status >= 400, `${said} though it breaks its description`)
        // The schema finds it before the handler runs, so nothing changes.
        if (breaks && longer.length > 0 && path.startsWith('/v1/')) {
          beyond += 1
          assert.equal(answer.status, 400, said)
          assert.ok(JSON.parse(text).errors?.length > 0, said)
        }
        if (chance.often(4)) await scene.world.clock.advance(61_000)
      }
    }
  }
  return beyond
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

/** Usually returns the body unchanged. Otherwise replaces one member's value, or the member by an unknown one. */
function oddlyChanged(body: unknown, chance: Chance): unknown {
  if (typeof body !== 'object' || body === null || chance.often(70)) return body
  const members = Object.entries(body)
  const [[name] = ['name']] = members.splice(chance.below(members.length), 1)
  const text = oddText(chance)
  const odd = chance.oneOf<unknown>([null, 1, true, [], {}, '', text, [text], { a: text }])
  return Object.fromEntries([...members, [chance.often(65) ? name : oddText(chance), odd]])
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
      if (chance.often(10)) return [name, oddText(chance)]
      return [name, chance.often(90) ? (known[name] ?? String(value)) : String(value)]
    })
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** Returns the response's body, which must be as described. */
async function describedBody(answer: Response, { responses }: Operation, document: Document, said: string) {
  const text = await answer.text()
  const given = responses[answer.status]
  assert.ok(given, `${said}, which is not described: ${text}`)
  const { content, headers } = resolved(given, document)
  for (const name of Object.keys(headers ?? {})) assert.ok(answer.headers.has(name), `${said} without ${name}`)
  if (content === undefined) return text
  const [type = '', { schema } = { schema: {} }] = Object.entries(content)[0] ?? []
  assert.equal(answer.headers.get('content-type')?.split(';')[0], type, said)
  const values = type === 'application/x-ndjson' ? text.split('\n').slice(0, -1) : [text]
  for (const value of values) assert.ok(fits(schema, document, JSON.parse(value)), `${said} in another shape: ${value}`)
  return text
}

const validators = new Map<Schema, (value: unknown) => boolean>()
/** Does not check formats such as date-time. */
const ajv = new Ajv2020({ strict: false, validateFormats: false })

function fits(schema: Schema, { components }: Document, value: unknown): boolean {
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, components })
  validators.set(schema, validate)
  return validate(value)
}

/** Returns the places in requests that accept values of unlimited length. */
function placesWithoutBound(document: Document): Set<string> {
  const schemas = operationsOf(document).flatMap(({ path, method, operation: { parameters = [], requestBody } }) => [
    ...parameters.flatMap(({ name, schema }) => schemasIn(schema, document, `${method} ${path}?${name}`)),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
      schemasIn(schema, document, `${method} ${path} `),
    ),
  ])
  return new Set(schemas.filter(([, schema]) => !isBounded(schema)).map(([place]) => place))
}

/** Returns the schema and all schemas in it, with their places. */
function schemasIn(given: Schema, document: object, place: string): [place: string, schema: Schema][] {
  const schema = resolved<Schema>(given, document)
  const { anyOf = [], items, properties = {} } = schema
  return [
    [place, schema],
    ...anyOf.flatMap((one) => schemasIn(one, document, place)),
    ...(items === undefined ? [] : schemasIn(items, document, `${place}/*`)),
    ...Object.entries(properties).flatMap(([name, of]) => schemasIn(of, document, `${place}/${name}`)),
  ]
}

/** Returns whether the schema itself, apart from those in it, accepts only values of limited length. */
function isBounded(schema: Schema): boolean {
  if (schema.anyOf !== undefined || schema.const !== undefined || schema.enum !== undefined) return true
  switch (schema.type) {
    case 'string':
      return schema.maxLength !== undefined || isBoundedPattern(schema.pattern)
    case 'array':
      return schema.maxItems !== undefined && schema.items !== undefined
    case 'object': {
      // A map is an object whose keys the client chooses. Undocumented members of other objects are rejected or
      // ignored.
      const isMap = typeof schema.additionalProperties === 'object' || schema.patternProperties !== undefined
      return !isMap || schema.maxProperties !== undefined
    }
    case undefined:
      return schema.not !== undefined
    default:
      return true
  }
}

/** Returns copies of the value, in each of which one text or list exceeds its limit. */
function beyondBounds(given: Schema, document: object, value: unknown): unknown[] {
  const schema = resolved<Schema>(given, document)
  if (schema.anyOf !== undefined) {
    return schema.anyOf.flatMap((one) => (isOf(one, value) ? beyondBounds(one, document, value) : []))
  }
  if (typeof value === 'string' && schema.type === 'string') {
    return schema.enum === undefined ? ['x'.repeat((schema.maxLength ?? 4_096) + 1)] : []
  }
  if (Array.isArray(value)) {
    const [first, ...others] = value
    const tooMany = Array.from({ length: (schema.maxItems ?? 0) + 1 }, () => first)
    const inside = beyondBounds(schema.items ?? {}, document, first).map((longer) => [longer, ...others])
    return value.length === 0 ? [] : [tooMany, ...inside]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    beyondBounds(schema.properties?.[name] ?? {}, document, member).map((longer) => ({ ...value, [name]: longer })),
  )
}

function isOf({ type }: Schema, value: unknown): boolean {
  return type === (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
}

/** Returns whether the pattern is anchored at both ends and has no unbounded repetition. */
function isBoundedPattern(pattern: string | undefined): boolean {
  if (pattern === undefined || !pattern.startsWith('^') || !pattern.endsWith('$')) return false
  const plain = pattern.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x')
  return !/[*+]|\{\d+,\}/.test(plain)
}
