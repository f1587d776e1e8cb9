import type { Operation } from '../../../rest/operation.ts'

export const disableUser = {
  method: 'post',
  path: '/v1/users/{userId}/disable',
  operationId: 'disableUser',
  summary: 'Disable a user’s account',
  description:
    'Ends the user’s sessions and revokes their tokens on every node. Nobody can sign in to the account until it is enabled. Its data, ' +
    'applications and bots are kept.',
  outcome: 'disabled',
  responses: { 204: { description: 'Disabled.' } },
} as const satisfies Operation

export const enableUser = {
  method: 'post',
  path: '/v1/users/{userId}/enable',
  operationId: 'enableUser',
  summary: 'Enable a user’s account',
  description: 'The user can sign in again. Revoked tokens stay revoked.',
  outcome: 'enabled',
  responses: { 204: { description: 'Enabled.' } },
} as const satisfies Operation

export const endUserSessions = {
  method: 'post',
  path: '/v1/users/{userId}/end-sessions',
  operationId: 'endUserSessions',
  summary: 'End a user’s sessions',
  description:
    'Signs the user out of the account pages and the portal on every node, and revokes their personal access tokens. ' +
    'Tokens of applications stay valid.',
  outcome: 'ended',
  responses: { 204: { description: 'Ended.' } },
} as const satisfies Operation

export const revokeUserTokens = {
  method: 'post',
  path: '/v1/users/{userId}/revoke-tokens',
  operationId: 'revokeUserTokens',
  summary: 'Revoke all tokens of a user',
  description: 'Also revokes personal access tokens, and codes that have not been redeemed. Consents are kept.',
  outcome: 'revoked',
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies Operation
