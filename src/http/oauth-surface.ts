import type { FastifyError, FastifyInstance } from 'fastify'
import { StoreUnavailable } from '../domain/store-unavailable.ts'
import { isOAuthRefusal, OAuthRefusal, sendOAuthError, sendOAuthJson } from './oauth-error-reply.ts'

/** Makes every failure on this app an OAuth answer: refusals by their table, faults without detail. */
export function answerErrorsAsOAuth(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? new OAuthRefusal('body-too-large') : error
    if (isOAuthRefusal(refusal)) {
      request.log.info({ reason: refusal.reason, detail: refusal.detail }, 'OAuth request refused')
      return sendOAuthError(reply, refusal)
    }
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return sendOAuthError(reply, new OAuthRefusal('body-malformed'))
    }
    request.log.error({ err: error }, 'OAuth request failed')
    if (error instanceof StoreUnavailable) {
      return sendOAuthJson(reply.header('retry-after', '1'), 503, {
        error: 'temporarily_unavailable',
        error_description: 'The service can not reach its data right now. Try again in a moment.',
      })
    }
    return sendOAuthJson(reply, 500, {
      error: 'server_error',
      error_description: 'The service failed at this request. Try again; if it persists, tell its operator the time.',
    })
  })
}
