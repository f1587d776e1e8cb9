import type { Operation } from '../../../rest/operation.ts'

export const disableUser = {
  method: 'post',
  path: '/v1/users/{userId}/disable',
  operationId: 'disableUser',
  summary: 'Disable a user’s account',
  description:
    'Ends the user’s sessions and tokens on every node. Nobody can sign in to the account until it is enabled. Its data, ' +
    'applications and bots stay as they are.',
  outcome: 'disabled',
  responses: { 204: { description: 'Disabled.' } },
} as const satisfies Operation

export const enableUser = {
  method: 'post',
  path: '/v1/users/{userId}/enable',
  operationId: 'enableUser',
  summary: 'Enable a user’s account',
  description: 'The user can sign in again. Tokens that ended stay ended.',
  outcome: 'enabled',
  responses: { 204: { description: 'Enabled.' } },
} as const satisfies Operation

export const endUserSessions = {
  method: 'post',
  path: '/v1/users/{userId}/end-sessions',
  operationId: 'endUserSessions',
  summary: 'End a user’s sessions',
  description:
    'Signs the user out of the account pages and the portal on every node, and ends their personal access tokens. Tokens ' +
    'of applications stay.',
  outcome: 'ended',
  responses: { 204: { description: 'Ended.' } },
} as const satisfies Operation

export const revokeUserTokens = {
  method: 'post',
  path: '/v1/users/{userId}/revoke-tokens',
  operationId: 'revokeUserTokens',
  summary: 'Revoke all tokens of a user',
  description: 'Also revokes personal access tokens, and codes that are not redeemed yet. Consents stay.',
  outcome: 'revoked',
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies Operation
