import { AuthorizationRefusal } from '../../domain/authorization/refusal.ts'
import { Type } from '../../http/json-schema.ts'
import { clearTextBearer } from '../../http/request-origin.ts'
import type { DescribedOperation, OAuthEndpoint } from '../../oauth/oauth-endpoints.ts'
import type { OAuthServices } from '../../oauth/oauth-services.ts'
import { oauthError, oauthErrorBody, oauthJson, recordRefusal, unavailableDescribed } from '../../oauth/responses.ts'

const withoutToken = oauthError(
  401,
  'invalid_token',
  'Send the access token in the header Authorization: Bearer <token>, not in the URL.',
  ['www-authenticate', 'Bearer'],
)
const somethingAsBearer = /^bearer +[^ ]/i

/** `GET /api/oauth/userinfo`. Accepts the bearer token only in the header (RFC 6750 section 2.1). */
export function userinfoEndpoint(
  services: Pick<OAuthServices, 'authorization' | 'profile' | 'requests'>,
): OAuthEndpoint {
  return {
    operation: userinfoOperation,
    async answer(request) {
      const header = request.headers.authorization ?? ''
      const clearTextToken = clearTextBearer(header)
      if (clearTextToken === undefined) {
        if (somethingAsBearer.test(header)) throw new AuthorizationRefusal('access-token-invalid')
        // A request without a token gets a bare challenge, without an error code (RFC 6750 section 3.1).
        return withoutToken
      }
      try {
        const bearer = await services.authorization.liveTokens.authenticate(clearTextToken)
        return oauthJson(200, await services.profile.userinfo(bearer.userId, bearer.scopes))
      } catch (error) {
        const applicationId = error instanceof AuthorizationRefusal ? error.about.applicationId : undefined
        if (applicationId !== undefined) recordRefusal(services.requests, error, { applicationId, place: 'userinfo' })
        throw error
      }
    },
  }
}

const nullableString = Type.Union([Type.String(), Type.Null()])

/** Response to the request. Each member requires its scope (specification, "Userinfo response"). */
export const userinfoResponse = Type.Object(
  {
    sub: Type.String('The user ID.'),
    serviceId: Type.String('Equal to sub.'),
    name: Type.Optional(Type.String('Scope user.identify.')),
    chatPlatformId: Type.Optional(Type.String('Scope user.identify, if a chat-platform account is linked.')),
    botCount: Type.Optional(Type.Integer('Scope user.identify. Bots in which the user has any role.')),
    email: Type.Optional(Type.String('Scope user.email.')),
    connections: Type.Optional(
      Type.Object(
        { chatPlatform: Type.Boolean(), codeHosting: Type.Boolean(), passkey: Type.Boolean() },
        'Scope user.connections.read.',
      ),
    ),
    bots: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String(),
          name: Type.String(),
          avatar: nullableString,
          status: Type.Enum(['online', 'offline']),
          plan: Type.String(),
          role: Type.Enum(['owner', 'editor', 'viewer']),
        }),
        'Scope bots.read.',
      ),
    ),
    flows: Type.Optional(
      Type.Array(
        Type.Object({ botId: Type.String(), kind: Type.String(), name: Type.String(), publicCode: nullableString }),
        'Scope flows.read.',
      ),
    ),
    guilds: Type.Optional(
      Type.Array(Type.Object({ botId: Type.String(), guildIds: Type.Array(Type.String()) }), 'Scope guilds.read.'),
    ),
    logs: Type.Optional(
      Type.Array(
        Type.Object({
          botId: Type.String(),
          at: Type.String({ format: 'date-time' }),
          level: Type.Enum(['debug', 'info', 'warn', 'error']),
          message: Type.String(),
        }),
        'Scope logs.read. Newest first, at most 100.',
      ),
    ),
    coworkers: Type.Optional(
      Type.Array(
        Type.Object({
          botId: Type.String(),
          userId: Type.String(),
          name: Type.String(),
          role: Type.Enum(['editor', 'viewer']),
          capabilities: Type.Array(Type.String()),
        }),
        'Scope cowork.read.',
      ),
    ),
  },
  { title: 'Userinfo' },
)

export const userinfoOperation: DescribedOperation = {
  path: '/api/oauth/userinfo',
  method: 'get',
  operationId: 'userinfo',
  summary: 'The user’s profile and related data, limited by the granted scopes',
  security: [{ bearer: [] }, { oauth2: [] }],
  responses: {
    200: { description: 'The user’s data. Each member needs its scope.', schema: userinfoResponse },
    401: {
      description: 'The access token is missing, unknown, expired or revoked.',
      schema: oauthErrorBody,
      headers: { 'WWW-Authenticate': 'Bearer challenge, RFC 6750 section 3.' },
    },
    503: unavailableDescribed,
  },
}
