import fc from 'fast-check'
import { anyCharacter } from '../support/any-character.ts'

/** The part of JSON Schema 2020-12 that our documents use. */
export interface Schema {
  $ref?: string
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  maxProperties?: number
  additionalProperties?: unknown
  patternProperties?: object
  not?: object
}

/** The part of OpenAPI 3.1 that our documents use. */
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: object
}

export interface Operation {
  parameters?: readonly { name: string; in: 'path' | 'query'; required: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, DescribedAnswer | { $ref: string }>
}

export interface DescribedAnswer {
  headers?: Record<string, object>
  content?: Record<string, { schema: Schema }>
}

export async function documentAt(url: string): Promise<Document> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as Document
}

/** Returns all operations. `json` is the schema of a JSON body. */
export function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const json = operation.requestBody?.content['application/json']?.schema
      return { path, method: method.toUpperCase(), operation, json }
    }),
  )
}

export function resolved<Part extends object>(part: Part | { $ref: string }, document: object): Part {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part as Part
  let at: unknown = document
  for (const name of part.$ref.split('/').slice(1)) at = (at as Record<string, unknown>)[name]
  return resolved(at as Part, document)
}

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
