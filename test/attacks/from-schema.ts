import fc from 'fast-check'
import { anyCharacter } from '../support/any-character.ts'
import { resolved, type Schema } from '../support/openapi.ts'

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc
    .date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
    .map((at) => at.toISOString()),
  // A faster replacement for fc.webUrl, which takes a second to build.
  uri: fc
    .tuple(fc.domain(), fc.stringMatching(/^(?:\/(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-F]{2}){0,8}){0,3}$/))
    .map(([domain, path]) => `https://${domain}${path}`),
  email: fc.emailAddress(),
}

/** Built arbitraries, because building one takes longer than using it a few times. A schema belongs to one document. */
const built = new WeakMap<Schema, fc.Arbitrary<unknown>>()

/** Generates values that match the schema. They may break rules that are only stated in a description. */
export function valuesOf(given: Schema, document: object): fc.Arbitrary<unknown> {
  const schema = resolved<Schema>(given, document)
  const values = built.get(schema) ?? build(schema, document)
  built.set(schema, values)
  return values
}

function build(schema: Schema, document: object): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => valuesOf(one, document)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'object':
      return objectsOf(schema, document)
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, document), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      })
    case 'string':
      return textsOf(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000_000 })
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue()
  }
}

function objectsOf({ properties = {}, required = [] }: Schema, document: object): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, valuesOf(of, document)]))
  return fc.record(members, { requiredKeys: required as string[] })
}

function textsOf({ pattern, format, minLength = 0, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'))
  const known = format === undefined ? undefined : formats[format]
  return known ?? fc.string({ unit: anyCharacter, minLength, maxLength: Math.min(maxLength, 60) })
}
