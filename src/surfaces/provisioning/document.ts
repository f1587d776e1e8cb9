import { idMaxCharacters } from '../../domain/limits/limits.ts'
import type { Schema } from '../../http/json-schema.ts'
import { botIdText, idText, problemBody, scopeText } from './contract.ts'
import type { Operation } from './operation.ts'

const problemResponses = {
  400: 'The path, query or body is invalid. Nothing was changed.',
  401: 'The operator key is missing or wrong.',
  403: 'The operator key can only read. Nothing was changed.',
  404: 'The record or the path does not exist.',
  409: 'Another record already has a value that must be unique, or there are too many records.',
  429: 'Too many wrong operator keys came from this address. Retry-After says when it may try again.',
}

const parameterTexts: Readonly<Record<string, string>> = {
  userId: idText,
  applicationId: idText,
  botId: botIdText,
  flowId: idText,
  runtimeId: idText,
  id: idText,
  scope: scopeText,
}

/** Returns the API's OpenAPI 3.1 description, built from the schemas that validate requests and serialize responses. */
export function provisioningDocument(controlUrl: string, operations: readonly Operation[]): object {
  const schemas: Record<string, object> = {}
  const reference = (schema: Schema): object => {
    const { title } = schema as { title?: string }
    if (title === undefined) return schema
    schemas[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation, reference) }
  }
  const problem = { 'application/problem+json': { schema: reference(problemBody) } }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse provisioning',
      version: '1',
      description:
        'For operators: manages users, applications, bots with their flows and coworkers, runtimes and scopes. ' +
        'PUT creates (201) or changes (200) a record. Absent members keep their value; null clears it.',
    },
    servers: [{ url: controlUrl }],
    security: [{ operatorKey: [] }],
    paths,
    components: {
      schemas,
      responses: Object.fromEntries(
        Object.entries(problemResponses).map(([status, description]) => [
          `Problem${status}`,
          { description, content: problem },
        ]),
      ),
      securitySchemes: {
        operatorKey: { type: 'http', scheme: 'bearer', description: 'An operator key.' },
      },
    },
  }
}

function describe(operation: Operation, reference: (schema: Schema) => object): object {
  const { operationId, summary, description, body, path, query = {}, responses } = operation
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: parameterTexts[name],
    schema: { type: 'string', maxLength: idMaxCharacters },
  }))
  const inQuery = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
  const parameters = [...inPath, ...inQuery]
  const successes = Object.entries(responses).map(([status, { description, schema, lines }]) => [
    status,
    {
      description,
      ...(schema === undefined
        ? {}
        : { content: { [lines ? 'application/x-ndjson' : 'application/json']: { schema: reference(schema) } } }),
    },
  ])
  const problems = Object.keys(problemResponses)
    .filter((status) => status !== '409' || operation.method === 'put' || operation.operationId === 'postOperatorKey')
    .filter((status) => status !== '403' || operation.method !== 'get')
    .map((status) => [status, { $ref: `#/components/responses/Problem${status}` }])
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: reference(body) } } } }),
    responses: Object.fromEntries([...successes, ...problems]),
  }
}
