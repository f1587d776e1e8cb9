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
  components: { schemas: Record<string, Schema> }
}

export interface Operation {
  operationId: string
  summary: string
  parameters?: readonly { name: string; in: 'path' | 'query'; required: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, DescribedAnswer | { $ref: string }>
  security?: readonly Record<string, readonly string[]>[]
}

interface DescribedAnswer {
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
