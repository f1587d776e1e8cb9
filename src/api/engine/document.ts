import { OpenapiSchemas } from '../../http/json-schema.ts'
import { type Operation, streamTypes } from './api.ts'
import { pathParameters } from './parameters.ts'
import { problemBody } from './problem.ts'

export interface ApiDescription {
  info: { title: string; version: string; description: string }
  serverUrl: string
  /** The definitions of the security schemes by name. The first applies to calls for which no other is given. */
  security: Readonly<Record<string, object>>
  /** Returns the names of the security schemes that a call needs, each with its scopes. */
  securityOf?(operation: Operation): Readonly<Record<string, readonly string[]>>
  problems: Readonly<Record<number, string>>
  canHave(operation: Operation, problemStatus: number): boolean
}

const problemsOfBodies = {
  413: 'The body is too large. Nothing was changed.',
  415: 'The body’s Content-Type isn’t application/json. Nothing was changed.',
}

/** Returns an API's OpenAPI 3.1 description, built from the schemas that validate requests and serialize responses. */
export function openapiDocument(api: ApiDescription, prefix: string, operations: readonly Operation[]): object {
  const schemas = new OpenapiSchemas()
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const path = prefix + operation.path
    paths[path] = { ...paths[path], [operation.method]: describe(api, operation, schemas) }
  }
  const problem = { 'application/problem+json': { schema: schemas.reference(problemBody) } }
  const [name = ''] = Object.keys(api.security)
  return {
    openapi: '3.1.0',
    info: { ...api.info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: api.serverUrl }],
    security: [{ [name]: [] }],
    paths,
    components: {
      schemas: schemas.components,
      responses: Object.fromEntries(
        Object.entries({ ...api.problems, ...problemsOfBodies }).map(([status, description]) => [
          `Problem${status}`,
          { description, content: problem },
        ]),
      ),
      securitySchemes: api.security,
    },
  }
}

/** Members that are undefined are left out of the JSON. */
function describe(api: ApiDescription, operation: Operation, schemas: OpenapiSchemas): object {
  const { operationId, summary, description, body, path, query = {}, responses } = operation
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description, maxLength } = pathParameters[name as keyof typeof pathParameters]
    return { name, in: 'path', required: true, description, schema: { type: 'string', maxLength } }
  })
  const inQuery = Object.entries(query).map(([name, schema]) => {
    return { name, in: 'query', required: false, description: schema.description, schema }
  })
  const parameters = [...inPath, ...inQuery]
  const successes = Object.entries(responses).map(([status, [description, schema, streamed = 'json']]) => {
    const content = schema && { [streamTypes[streamed]]: { schema: schemas.reference(schema) } }
    return [status, { description, content }]
  })
  const problems = Object.keys(api.problems)
    .filter((status) => api.canHave(operation, Number(status)))
    .concat(body === undefined ? [] : Object.keys(problemsOfBodies))
    .map((status) => [status, { $ref: `#/components/responses/Problem${status}` }])
  const security = api.securityOf?.(operation)
  return {
    operationId,
    summary,
    description,
    security: security && [security],
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: body && { required: true, content: { 'application/json': { schema: schemas.reference(body) } } },
    responses: Object.fromEntries([...successes, ...problems]),
  }
}
