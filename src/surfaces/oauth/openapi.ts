import type { Authorization } from '../../domain/authorization/authorization.ts'
import { describeScopes } from '../../domain/authorization/scope.ts'
import { OpenapiSchemas } from '../../http/json-schema.ts'
import type { DescribedOperation } from '../../oauth/oauth-endpoints.ts'

/** Returns the OAuth endpoints' OpenAPI 3.1 description with the current scopes, as JSON text. */
export async function openapiDocument(parts: {
  authorization: Pick<Authorization, 'scopes'>
  baseUrl: string
  operations: readonly DescribedOperation[]
}): Promise<string> {
  const scopes = describeScopes(await parts.authorization.scopes.list())
  return JSON.stringify(document(parts.baseUrl, parts.operations, scopes))
}

function document(
  baseUrl: string,
  operations: readonly DescribedOperation[],
  scopes: Readonly<Record<string, string>>,
): object {
  const schemas = new OpenapiSchemas()
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse OAuth 2.0',
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: 'Signs users in to applications by the authorization code grant, and manages their tokens.',
    },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: schemas.components,
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${baseUrl}/auth/consent`,
              tokenUrl: `${baseUrl}/api/oauth/token`,
              refreshUrl: `${baseUrl}/api/oauth/token`,
              scopes,
            },
          },
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token, prefix svc_at_.' },
        clientBasic: {
          type: 'http',
          scheme: 'basic',
          description:
            'client_id and client_secret, percent-encoded. For introspection also an operator key as the password, with any user name.',
        },
        operator: {
          type: 'http',
          scheme: 'bearer',
          description: 'An operator key, for the platform’s resource servers.',
        },
      },
    },
  }
}

/** Members that are undefined are left out of the JSON. */
function describe(
  { operationId, summary, security, ...operation }: DescribedOperation,
  schemas: OpenapiSchemas,
): object {
  const { query, responses } = operation
  const body = operation.body && { schema: schemas.reference(operation.body) }
  return {
    operationId,
    summary,
    security,
    parameters:
      query &&
      Object.entries(query.properties).map(([name, schema]) => {
        return { name, in: 'query', required: query.required?.includes(name) ?? false, schema }
      }),
    requestBody: body && {
      required: true,
      content: { 'application/x-www-form-urlencoded': body, 'application/json': body },
    },
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { description, schema, headers }]) => {
        const described = Object.entries(headers ?? {}).map(([name, meaning]) => {
          return [name, { description: meaning, schema: { type: 'string' } }]
        })
        const content = schema && { 'application/json': { schema: schemas.reference(schema) } }
        return [status, { description, headers: headers && Object.fromEntries(described), content }]
      }),
    ),
  }
}
