import type { FastifyPluginAsync } from 'fastify'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { ClientAuthentication } from '../../http/client-authentication.ts'
import { readOAuthParameters, requireParameters, takeRawBodies } from '../../http/oauth-parameters.ts'
import { answerErrorsAsOAuth } from '../../http/oauth-surface.ts'
import { revokeRequest } from './contract.ts'

// Bytes and not text: Fastify adds a charset to text.
const empty = Buffer.alloc(0)
const known = Object.keys(revokeRequest.properties)

/** `POST /api/oauth/revoke` (RFC 7009). The hint is only a hint: a token's prefix tells its kind. */
export function revokeSurface(rooms: {
  authorization: Authorization
  clients: ClientAuthentication
}): FastifyPluginAsync {
  return async (app) => {
    takeRawBodies(app)
    answerErrorsAsOAuth(app)

    app.post('/api/oauth/revoke', async (request, reply) => {
      const parameters = readOAuthParameters(request, known)
      const client = await rooms.clients.authenticateIfTried(request, parameters)
      requireParameters(parameters, revokeRequest.required)
      await rooms.authorization.revoke(parameters.get('token') as string, client, browserInfo(request))
      // Empty, yet declared as JSON: a widespread client refuses an empty answer of any other type.
      return reply
        .code(200)
        .headers({ 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' })
        .send(empty)
    })
  }
}
