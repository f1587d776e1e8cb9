import type { Operation } from '../../../rest/operation.ts'

export const deleteApplication = {
  method: 'delete',
  path: '/v1/applications/{applicationId}',
  operationId: 'deleteApplication',
  summary: 'Delete an application',
  description:
    'Revokes its codes, tokens and client secrets on every node. The ID can’t be reused. Users’ consents are kept but hidden.',
  conflicts: true,
  responses: { 204: { description: 'Deleted.' } },
} as const satisfies Operation

export const disableApplication = {
  method: 'post',
  path: '/v1/applications/{applicationId}/disable',
  operationId: 'disableApplication',
  summary: 'Disable an application',
  description:
    'While it is disabled, its authorization requests, credentials, codes and tokens are rejected on every node, like those ' +
    'of an unknown application.',
  outcome: 'disabled',
  conflicts: true,
  responses: { 204: { description: 'Disabled.' } },
} as const satisfies Operation

export const enableApplication = {
  method: 'post',
  path: '/v1/applications/{applicationId}/enable',
  operationId: 'enableApplication',
  summary: 'Enable an application',
  description: 'Tokens that have not expired in the meantime work again. To prevent this, revoke them first.',
  outcome: 'enabled',
  conflicts: true,
  responses: { 204: { description: 'Enabled.' } },
} as const satisfies Operation

export const revokeApplicationTokens = {
  method: 'post',
  path: '/v1/applications/{applicationId}/revoke-tokens',
  operationId: 'revokeApplicationTokens',
  summary: 'Revoke all tokens of an application',
  description:
    'Also revokes codes that have not been redeemed. Consents are kept. Tokens are revoked one by one: if the call fails, ' +
    'repeat it. To prevent new tokens in the meantime, disable the application first.',
  outcome: 'revoked',
  conflicts: true,
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies Operation
