import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as limits from '../../src/domain/limits/limits.ts'
import { budget } from '../support/budget.ts'
import { provision } from '../support/people.ts'
import { openWorld } from '../support/world.ts'
import { choices, everyField, recordsOf, storedRecordsOf } from './every-form.ts'
import { resolved, type Schema, valuesOf } from './from-schema.ts'
import { fillIn } from './route-addresses.ts'
import { provisionScene } from './valid-requests.ts'

interface Described {
  paths: Record<string, Record<string, Operation>>
}

interface Operation {
  parameters?: readonly { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** Number of requests with the same text or list beyond its limit. Long runs send all of them. */
const timesPerPlace = 5 * budget

for (const [url, path, what] of [
  ['controlUrl', '/openapi.json', 'the control surface'],
  ['baseUrl', '/api/openapi.json', 'the API for owners'],
  ['apiUrl', '/openapi.json', 'the OAuth endpoints'],
] as const) {
  test(`our choice: the OpenAPI description of ${what} limits each string, array and map in a request`, async (t) => {
    const world = await openWorld(t)
    const document = (await (await fetch(world[url] + path)).json()) as Described
    const unbounded = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { parameters = [], requestBody }]) => [
        ...parameters.flatMap(({ name, schema }) => withoutBound(schema, document, `${method} ${path}?${name}`)),
        ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
          withoutBound(schema, document, `${method} ${path} `),
        ),
      ]),
    )
    assert.deepEqual([...new Set(unbounded)], [])
  })
}

test('our choice: a control API request with a text or list beyond its limit is rejected and changes nothing', async (t) => {
  const world = await openWorld(t)
  const scene = await provisionScene(world)
  const document = (await (await fetch(`${world.controlUrl}/openapi.json`)).json()) as Described
  const before = await recordsOf(scene)
  let sent = 0
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const schema = requestBody?.content['application/json']?.schema
      if (schema === undefined) continue
      const bodies = fc.sample(valuesOf(schema, document), { numRuns: 20, seed: 1 })
      const timesTried = new Map<string, number>()
      for (const [place, body] of bodies.flatMap((whole) => beyondBounds(schema, document, whole))) {
        const times = timesTried.get(place) ?? 0
        if (times >= timesPerPlace) continue
        timesTried.set(place, times + 1)
        sent += 1
        const { status, headers, json } = await provision(world, method, fillIn(path, scene.names), body as object)
        const said = `${method} ${path} ${JSON.stringify(body).slice(0, 300)}`
        assert.equal(status, 400, said)
        assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/, said)
        assert.ok(json.errors.length > 0, said)
      }
    }
  }
  assert.ok(sent > 200, `only ${sent} were sent`)
  assert.equal(await recordsOf(scene), before)
})

for (const place of ['base', 'portal'] as const) {
  test(`our choice: each form field on the ${place} listener rejects text that is too long, and nothing changes`, async (t) => {
    const world = await openWorld(t)
    const scene = await provisionScene(world)
    for (const { path, name, send } of await everyField(scene, place)) {
      // The body of a test webhook can have 64 KiB.
      const tooLong = 'x'.repeat(name === 'body' ? limits.testBodyMaxBytes + 1 : 20_000)
      const before = await storedRecordsOf(scene)
      const { status, type, text } = await send(tooLong)
      // Advances the clock so that rate limits reset. The next request is then rejected only for its length.
      world.clock.jump(61_000)
      const after = await storedRecordsOf(scene)
      assert.ok(!after.includes(tooLong), `${path} keeps what came as ${name}`)
      if (choices.has(name)) continue
      // A test run that can't be started redirects to a page that shows the reason.
      if (!(path.endsWith('/try-outs') && status === 303)) {
        assert.ok(status >= 400 && status < 500, `${path} answers ${status} to a ${name} that is too long`)
        assert.match(type, /^text\/html|^application\/json/, path)
        assert.ok(text.length > 0, path)
      }
      assert.equal(after, before, `${path} with ${name}`)
    }
  })
}

/** Returns the locations in the schema that accept values of unlimited length. */
function withoutBound(given: Schema, document: object, place: string): string[] {
  const schema = resolved<Schema>(given, document) as Schema & {
    additionalProperties?: unknown
    maxProperties?: number
  }
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => withoutBound(one, document, place))
  if (schema.const !== undefined || schema.enum !== undefined) return []
  switch (schema.type) {
    case 'string':
      return schema.maxLength !== undefined || isBoundedPattern(schema.pattern) ? [] : [`${place}: text`]
    case 'array':
      return [
        ...(schema.maxItems === undefined ? [`${place}: list`] : []),
        ...withoutBound(schema.items ?? {}, document, `${place}/*`),
      ]
    case 'object': {
      // A map is an object whose keys the client chooses. Undocumented members of other objects are rejected or
      // ignored.
      const isMap = typeof schema.additionalProperties === 'object' || 'patternProperties' in schema
      const members = Object.entries(schema.properties ?? {})
      return [
        ...(isMap && schema.maxProperties === undefined ? [`${place}: map`] : []),
        ...members.flatMap(([name, of]) => withoutBound(of, document, `${place}/${name}`)),
      ]
    }
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return []
    default:
      return Object.hasOwn(schema, 'not') ? [] : [`${place}: anything`]
  }
}

/** Returns copies of the value, each with the place of the one text or list that exceeds its limit. */
function beyondBounds(given: Schema, document: object, value: unknown, place = ''): [place: string, value: unknown][] {
  const schema = resolved<Schema>(given, document)
  if (schema.anyOf !== undefined) {
    return schema.anyOf.flatMap((one, at) =>
      isOf(one, value) ? beyondBounds(one, document, value, `${place}|${at}`) : [],
    )
  }
  if (typeof value === 'string' && schema.type === 'string') {
    return schema.enum === undefined ? [[place, 'x'.repeat((schema.maxLength ?? 4_096) + 1)]] : []
  }
  if (Array.isArray(value)) {
    const items = `${place}/*`
    const { maxItems = 0 } = schema
    const tooMany: typeof inside =
      value.length === 0 ? [] : [[place, Array.from({ length: maxItems + 1 }, () => value[0])]]
    const inside = beyondBounds(schema.items ?? {}, document, value[0], items).map(
      ([at, longer]): [string, unknown] => [at, [longer, ...value.slice(1)]],
    )
    return [...tooMany, ...inside]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    beyondBounds(schema.properties?.[name] ?? {}, document, member, `${place}/${name}`).map(
      ([at, longer]): [string, unknown] => [at, { ...value, [name]: longer }],
    ),
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
