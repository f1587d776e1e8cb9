import { personalTokenScopes } from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import { Type } from '../../http/json-schema.ts'
import { ok } from '../engine/operation.ts'
import { inIsoTimes, timestamp } from '../engine/schemas.ts'
import { withScope } from './api.ts'

const record = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    userId: Type.String({ description: 'your user ID' }),
    scopes: Type.Array(Type.Enum(personalTokenScopes, { type: 'string' })),
    createdAt: timestamp('when the token was created'),
    expiresAt: timestamp('when the token expires'),
  },
  { title: 'Token' },
)

export const tokenRoute = withScope(null).get(
  '/token',
  'Read the token of this request',
  { 200: ['The token, without the secret.', record] },
  async ({ caller }) => ok(inIsoTimes(caller.token)),
)
