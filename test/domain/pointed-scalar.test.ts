import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FlowId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { dedupeMark } from '../../src/domain/webhooks/dedupe-mark.ts'
import { pointedScalar } from '../../src/domain/webhooks/pointed-scalar.ts'

const space = fc.constantFrom('', '', '', '', ' ', '\n\t', '\r ')
const characters = fc.constantFrom(
  ...['a', 'b', '/', '~', '0', '1', 'é', '😀', '\u2028', '\\u0061', '\\u00e9', '\\uD83D\\uDE00', '\\ud800'],
  ...['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\u0000', '\\u0022'],
)
/** String fragments that make the JSON invalid. */
const faults = fc.constantFrom('\n', '\0', ...String.raw`\x \u12 \u12g4 " \ , ] } +1 01 nul 1. .5 - 1e`.split(' '))
const string = fc.array(characters, { maxLength: 3 }).map((parts) => `"${parts.join('')}"`)
const names = fc.oneof(
  fc.constantFrom(...String.raw`"a" "\u0061" "b" "a/b" "a\/b" "m~n" "0" "1" "01" "length" "" "__proto__"`.split(' ')),
  // After a member named `\`, V8's JSON.parse reads a later `\u0061` as that name. So it can't serve as a model for
  // such names.
  string.filter((written) => !written.includes('\\\\')),
)
const number = fc.oneof(
  fc.constantFrom(...'0 -0 7 7.0 70e-1 7.5 -1E+2 1e400 12345678901234567890 9007199254740993 0.1e1'.split(' ')),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
)
const scalar = fc.oneof(string, number, fc.constantFrom('true', 'false', 'null'))
const { value: json } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc
      .array(fc.tuple(space, tie('value'), space), { maxLength: 3 })
      .map((all) => `[${all.map((one) => one.join('')).join(',')}]`),
    fc
      .array(fc.tuple(space, names, space, tie('value'), space), { maxLength: 4 })
      .map(
        (all) =>
          `{${all.map(([before, name, between, value, after]) => `${before}${name}${between}:${value}${after}`).join(',')}}`,
      ),
  ),
}))
const body = fc
  .tuple(
    fc.constantFrom('', '', '\uFEFF', ' '),
    json,
    fc.constantFrom('', '', ' ', '1'),
    fc.option(fc.tuple(fc.nat(), faults), { freq: 4 }),
  )
  .map(([before, text, after, fault]) => {
    const whole = before + text + after
    if (fault === null) return Buffer.from(whole)
    const at = fault[0] % (whole.length + 1)
    return Buffer.from(whole.slice(0, at) + fault[1] + whole.slice(at + (fault[0] % 3)))
  })
const steps = ['a', 'b', 'a~1b', 'm~0n', '0', '1', '01', 'length', '', '__proto__', 'é', '😀', '\ud800', '"', '\n']
const pointer = fc
  .array(fc.constantFrom(...steps), { minLength: 1, maxLength: 4 })
  .map((all) => all.map((step) => `/${step}`).join(''))

const flow = { flowId: 'flow' as FlowId, eventsBefore: 0 }

test('our choice: scanning a body for the value of a JSON pointer gives the same dedupe mark as parsing the whole body', () => {
  let marked = 0
  fc.assert(
    fc.property(body, pointer, fc.option(fc.array(fc.nat(), { minLength: 5, maxLength: 5 })), (bytes, any, choices) => {
      const at = (choices && pointerInto(bytes, choices)) || any
      const known = plainValueAt(at, bytes)
      if (known !== undefined) marked += 1
      const mark = dedupeMark(flow, { pointer: at, windowSeconds: 60 }, { headers: {}, body: bytes }, 0)
      const expected = known === undefined ? undefined : hash('sha256', JSON.stringify(['flow', at, known]), 'hex')
      assert.equal(mark && Buffer.from(mark.digest).toString('hex'), expected)
    }),
    { numRuns: 20_000, seed: 20_260_105 },
  )
  assert.ok(marked > 1_000, `only ${marked} had a mark`)
})

test('our choice: scanning a body that is truncated at any byte or has trailing bytes finds no value', () => {
  const text = '{"x":[1,{"a":"é\\u0041\\n"},-2.5e+3,true,false,null,[]],"a":{"a":"found"}}'
  assert.equal(pointedScalar('/a/a', text), '"found"')
  for (let length = 0; length < text.length; length += 1) {
    assert.equal(pointedScalar('/a/a', text.slice(0, length)), undefined, text.slice(0, length))
    assert.equal(pointedScalar('/a/a', `${text}${text.slice(length)}`), undefined)
  }
})

test('our choice: a body nested as deeply as its size allows still gets its dedupe mark', () => {
  const deep = '['.repeat(limits.webhookBodyMaxBytes / 2 - 16)
  const bytes = Buffer.from(`{"n":${deep}${deep.replaceAll('[', ']')},"id":1.5}`)
  assert.ok(bytes.length <= limits.webhookBodyMaxBytes)
  const setting = { pointer: '/id', windowSeconds: 60 }
  const mark = dedupeMark(flow, setting, { headers: {}, body: bytes }, 0)
  const plain = dedupeMark(flow, setting, { headers: {}, body: Buffer.from('{"id":1.5}') }, 0)
  assert.ok(mark)
  assert.deepEqual(mark, plain)
})

/** Returns a pointer to some scalar in the body, or an empty string if there is none. */
function pointerInto(bytes: Uint8Array, choices: readonly number[]): string {
  let at = ''
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return ''
  }
  for (const choice of choices) {
    if (typeof value !== 'object' || value === null) break
    const members = Object.entries(value)
    const [name = '', inside] = members[choice % members.length] ?? []
    at += `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    value = inside
  }
  return at
}

/** The reference implementation for the scan: parses the whole body with `JSON.parse` and follows the pointer. */
function plainValueAt(at: string, bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const value = followed(at, JSON.parse(text))
    if (value === '' || !['string', 'number', 'boolean'].includes(typeof value)) return undefined
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return JSON.stringify(value)
    return followed(at, JSON.parse(text, numbersAsWritten as Parameters<typeof JSON.parse>[1])) as string
  } catch {
    return undefined
  }
}

function numbersAsWritten(_name: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' ? source : value
}

function followed(at: string, whole: unknown): unknown {
  let value = whole
  for (const step of at.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    if (Array.isArray(value) && !/^(?:0|[1-9][0-9]*)$/.test(name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
