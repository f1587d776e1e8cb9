import type { Operation } from '../../../rest/operation.ts'

export const deleteApplication = {
  method: 'delete',
  path: '/v1/applications/{applicationId}',
  operationId: 'deleteApplication',
  summary: 'Delete an application',
  description:
    'Ends its codes, tokens and client secrets on every node. The ID can’t be used again. Users’ consents are kept, hidden.',
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
  description: 'Tokens that have not expired meanwhile work again. To end them, revoke them before.',
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
    'Also revokes codes that are not redeemed yet. Consents stay. Tokens end one after the other; if the call fails, ' +
    'repeat it. To let none be issued meanwhile, disable the application before.',
  outcome: 'revoked',
  conflicts: true,
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies Operation
