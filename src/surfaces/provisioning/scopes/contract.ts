import { scopeDescriptionMaxCharacters } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import type { Operation } from '../../../rest/operation.ts'

const description = Type.String({
  pattern: `^[^\\x00-\\x1f\\x7f]{1,${scopeDescriptionMaxCharacters}}$`,
  description: `what the scope lets an application do, in 1 to ${scopeDescriptionMaxCharacters} characters, as users see it at consent`,
})

const scopeBody = Type.Object(
  { description },
  { additionalProperties: false, title: 'ScopeChange', description: 'a JSON object with description' },
)

export const scopeRecord = Type.Object({ scope: Type.String(), description: Type.String() }, { title: 'Scope' })

export const putScope = {
  method: 'put',
  path: '/v1/scopes/{scope}',
  operationId: 'putScope',
  summary: 'Declare a scope, or change its description',
  description:
    'Scopes that end in .write or .manage require the session PIN. The nine standard scopes can’t be changed.',
  body: scopeBody,
  responses: {
    200: { description: 'The updated scope.', schema: scopeRecord },
    201: { description: 'The new scope.', schema: scopeRecord },
  },
} as const satisfies Operation

export const getScope = {
  method: 'get',
  path: '/v1/scopes/{scope}',
  operationId: 'getScope',
  summary: 'Read a scope',
  responses: { 200: { description: 'The scope.', schema: scopeRecord } },
} as const satisfies Operation

export const deleteScope = {
  method: 'delete',
  path: '/v1/scopes/{scope}',
  operationId: 'deleteScope',
  summary: 'Delete a scope',
  description:
    'New requests for it are rejected. Consents and tokens that include it keep it, and apply again if it is declared ' +
    'again. The nine standard scopes can’t be deleted.',
  responses: { 204: { description: 'Deleted.' } },
} as const satisfies Operation
