import type { FailurePlace, RequestLog } from '../domain/applications/request-log.ts'
import { AuthorizationRefusal } from '../domain/authorization/refusal.ts'
import type { ApplicationId } from '../domain/ids.ts'
import { isOAuthRefusal, OAuthRefusal, oauthErrorOf } from './error-reply.ts'

/**
 * Records the error that an application received, so that its owner can see it. Does not record internal errors.
 */
export function recordRefusal(
  requests: RequestLog,
  error: unknown,
  from: { applicationId: ApplicationId; place: FailurePlace; redirectUri?: string | undefined },
): void {
  if (!isOAuthRefusal(error)) return
  const { applicationId, place, redirectUri = null } = from
  const wire = oauthErrorOf(error)
  // The redirect URI is recorded only if it caused the error.
  const sent = error.reason === 'redirect-uri-differs' ? redirectUri : null
  requests.recordFailure(applicationId, {
    place,
    error: wire.error,
    description: wire.description,
    reason: error.reason,
    parameter: atFault(error) ?? null,
    redirectUri: sent,
  })
}

/** Returns the name of the parameter or scope at fault. */
function atFault(error: unknown): string | undefined {
  if (error instanceof OAuthRefusal) return error.parameter
  return error instanceof AuthorizationRefusal ? error.scope : undefined
}
