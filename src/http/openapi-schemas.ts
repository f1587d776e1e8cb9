import type { Schema } from './json-schema.ts'

/** Collects the schemas that have a title, so that each of them appears only once in the OpenAPI document. */
export class OpenapiSchemas {
  /** The schemas by title, for `components.schemas`. */
  readonly components: Record<string, object> = {}
  readonly #titled = new Map<string, Schema>()

  /**
   * Returns the schema as it appears in the document: with a reference in place of each part that has a title, itself
   * included.
   *
   * @throws Error if two schemas have the same title.
   */
  reference(schema: Schema): object {
    const { title } = schema
    if (title === undefined) return this.#withReferences(schema) as object
    const known = this.#titled.get(title)
    if (known !== undefined && known !== schema) throw new Error(`two schemas have the title ${title}`)
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
