/**
 * Builders for JSON Schemas (draft 2020-12), with the types of the values. ajv validates with these plain objects, and
 * OpenAPI 3.1 includes them. Loading TypeBox's 683 modules instead took 150 ms and 13 MiB on every start.
 */
export interface Schema<Value = unknown> {
  readonly [described]?: Value
  readonly title?: string
  readonly description?: string
  readonly [keyword: string]: unknown
}

export type Static<Described extends Schema> = Described extends Schema<infer Value> ? Value : never

interface OptionalSchema<Value> extends Schema<Value> {
  readonly [isOptional]: true
}

export interface ObjectSchema<Value> extends Schema<Value> {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
}

declare const described: unique symbol
/** A symbol, so that it doesn't appear in the schema's JSON. */
const isOptional = Symbol('optional')

type Properties = Readonly<Record<string, Schema>>
type OptionalNames<Members extends Properties> = {
  [Name in keyof Members]: Members[Name] extends OptionalSchema<unknown> ? Name : never
}[keyof Members]
type ValueOfObject<Members extends Properties> = {
  [Name in Exclude<keyof Members, OptionalNames<Members>>]: Static<Members[Name]>
} & { [Name in OptionalNames<Members>]?: Static<Members[Name]> }

/** A schema's description, or all its other keywords. */
type Keywords = string | Readonly<Record<string, unknown>>

const added = (keywords: Keywords) => (typeof keywords === 'string' ? { description: keywords } : keywords)

export const Type = {
  /** A string. With a pattern, its type can be that of the texts that match. */
  String: <Value extends string = string>(keywords: Keywords = {}): Schema<Value> => ({
    type: 'string',
    ...added(keywords),
  }),
  Number: (keywords: Keywords = {}): Schema<number> => ({ type: 'number', ...added(keywords) }),
  Integer: (keywords: Keywords = {}): Schema<number> => ({ type: 'integer', ...added(keywords) }),
  Boolean: (keywords: Keywords = {}): Schema<boolean> => ({ type: 'boolean', ...added(keywords) }),
  Null: (): Schema<null> => ({ type: 'null' }),
  Never: (keywords: Keywords = {}): Schema<never> => ({ not: {}, ...added(keywords) }),

  Literal: <const Value extends string | number | boolean>(value: Value, keywords: Keywords = {}): Schema<Value> => ({
    type: typeof value,
    const: value,
    ...added(keywords),
  }),

  Enum: <const Value extends string>(values: readonly Value[], keywords: Keywords = {}): Schema<Value> => ({
    enum: values,
    type: 'string',
    ...added(keywords),
  }),

  Union: <const Members extends readonly Schema[]>(
    anyOf: Members,
    keywords: Keywords = {},
  ): Schema<Static<Members[number]>> => ({ anyOf, ...added(keywords) }),

  Array: <Item>(items: Schema<Item>, keywords: Keywords = {}): Schema<readonly Item[]> => ({
    type: 'array',
    items,
    ...added(keywords),
  }),

  Record: <Value>(values: Schema<Value>, keywords: Keywords = {}): Schema<Record<string, Value>> => ({
    type: 'object',
    additionalProperties: values,
    ...added(keywords),
  }),

  /** An object. Its members are required unless marked `Optional`. */
  Object: <Members extends Properties>(
    properties: Members,
    keywords: Keywords = {},
  ): ObjectSchema<ValueOfObject<Members>> => {
    const required = Object.keys(properties).filter((name) => !(isOptional in (properties[name] ?? {})))
    return { type: 'object', required, properties, ...added(keywords) }
  },

  Optional: <Value>(schema: Schema<Value>): OptionalSchema<Value> => ({ ...schema, [isOptional]: true }),
}

/** Collects the schemas that have a title, so that each of them appears only once in the OpenAPI document. */
export class OpenapiSchemas {
  readonly components: Record<string, object> = {}
  readonly #titled = new Map<string, Schema>()

  /** Returns the schema, with references for parts that have a title. Throws if two different ones share a title. */
  reference(schema: Schema): object {
    const { title } = schema
    if (title === undefined) return this.#withReferences(schema) as object
    const known = this.#titled.get(title)
    // `Type.Optional` returns a copy of a schema.
    const isSame = known === undefined || known === schema || JSON.stringify(known) === JSON.stringify(schema)
    if (!isSame) throw new Error(`two schemas have the title ${title}`)
    if (known === undefined) {
      this.#titled.set(title, schema)
      this.components[title] = this.#withReferences(schema) as object
    }
    return { $ref: `#/components/schemas/${title}` }
  }

  #withReferences(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((one) => this.#inside(one))
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, this.#inside(value)]))
  }

  #inside(part: unknown): unknown {
    const titled = typeof part === 'object' && part !== null && typeof (part as Schema).title === 'string'
    return titled ? this.reference(part as Schema) : this.#withReferences(part)
  }
}
