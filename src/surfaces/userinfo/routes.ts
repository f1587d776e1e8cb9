import type { FastifyPluginAsync } from 'fastify'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { Profile } from '../../domain/profile/profile.ts'
import { sendOAuthJson } from '../../http/oauth-error-reply.ts'
import { answerErrorsAsOAuth } from '../../http/oauth-surface.ts'

const scheme = /^bearer +([^ ]+) *$/i

/** `GET /api/oauth/userinfo`, by bearer token in the header only (RFC 6750 section 2.1). */
export function userinfoSurface(rooms: { authorization: Authorization; profile: Profile }): FastifyPluginAsync {
  return async (app) => {
    answerErrorsAsOAuth(app)

    app.get('/api/oauth/userinfo', async (request, reply) => {
      const clearTextToken = scheme.exec(request.headers.authorization ?? '')?.[1]
      if (clearTextToken === undefined) {
        // Without a token the challenge is bare: no error code, since nothing was tried (section 3.1).
        reply.header('www-authenticate', 'Bearer')
        return sendOAuthJson(reply, 401, {
          error: 'invalid_token',
          error_description: 'Send the access token in the header Authorization: Bearer <token>, not in the address.',
        })
      }
      const bearer = await rooms.authorization.authenticateBearer(clearTextToken)
      return sendOAuthJson(reply, 200, await rooms.profile.userinfo(bearer.userId, bearer.scopes))
    })
  }
}
