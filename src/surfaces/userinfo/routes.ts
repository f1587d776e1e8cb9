import type { RequestLog } from '../../domain/applications/request-log.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { AuthorizationRefusal } from '../../domain/authorization/refusal.ts'
import type { Profile } from '../../domain/profile/profile.ts'
import type { OAuthEndpoint } from '../../oauth/oauth-endpoints.ts'
import { oauthJson, recordRefusal } from '../../oauth/responses.ts'

const withoutToken = oauthJson(
  401,
  {
    error: 'invalid_token',
    error_description: 'Send the access token in the header Authorization: Bearer <token>, not in the URL.',
  },
  ['www-authenticate', 'Bearer'],
)
const bearerToken = /^bearer +([^ ]+) *$/i
const somethingAsBearer = /^bearer +[^ ]/i

/** `GET /api/oauth/userinfo`. Accepts the bearer token only in the header (RFC 6750 section 2.1). */
export function userinfoEndpoint(services: {
  authorization: Pick<Authorization, 'liveTokens'>
  profile: Profile
  requests: RequestLog
}): OAuthEndpoint {
  return {
    method: 'GET',
    path: '/api/oauth/userinfo',
    async answer(request) {
      const header = request.headers.authorization ?? ''
      const clearTextToken = bearerToken.exec(header)?.[1]
      if (clearTextToken === undefined) {
        if (somethingAsBearer.test(header)) throw new AuthorizationRefusal('access-token-invalid')
        // A request without a token gets a bare challenge, without an error code (RFC 6750 section 3.1).
        return withoutToken
      }
      try {
        const bearer = await services.authorization.liveTokens.authenticate(clearTextToken)
        return oauthJson(200, await services.profile.userinfo(bearer.userId, bearer.scopes))
      } catch (error) {
        const applicationId = error instanceof AuthorizationRefusal ? error.applicationId : undefined
        if (applicationId !== undefined) recordRefusal(services.requests, error, { applicationId, place: 'userinfo' })
        throw error
      }
    },
  }
}
