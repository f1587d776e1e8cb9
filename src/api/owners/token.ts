import { personalTokenScopes } from '../../domain/accounts/personal-tokens/personal-token-store.ts'
import { Type } from '../../http/json-schema.ts'
import { ok } from '../engine/operation.ts'
import { iso, timestamp } from '../engine/schemas.ts'
import { type OwnerOperation, type OwnerRoute, ownerRoute } from './owner-operation.ts'

const getToken = {
  method: 'get',
  path: '/api/v1/token',
  operationId: 'getToken',
  scope: null,
  summary: 'Read the token of this request',
  responses: {
    200: {
      description: 'The token, without the secret.',
      schema: Type.Object(
        {
          id: Type.String(),
          name: Type.String(),
          userId: Type.String({ description: 'your user ID' }),
          scopes: Type.Array(Type.Enum(personalTokenScopes, { type: 'string' })),
          createdAt: timestamp('when the token was created'),
          expiresAt: timestamp('when the token expires'),
        },
        { title: 'Token' },
      ),
    },
  },
} as const satisfies OwnerOperation

export const tokenRoutes: OwnerRoute[] = [
  ownerRoute(getToken, async ({ caller: { token } }) => {
    const { id, name, userId, scopes, createdAtMs, expiresAtMs } = token
    return ok({ id, name, userId, scopes: [...scopes], createdAt: iso(createdAtMs), expiresAt: iso(expiresAtMs) })
  }),
]
