import type { RequestLog } from '../domain/applications/request-log.ts'
import type { FailurePlace } from '../domain/applications/request-log-store.ts'
import { AuthorizationRefusal } from '../domain/authorization/refusal.ts'
import type { ApplicationId } from '../domain/ids.ts'
import { isOAuthRefusal, OAuthRefusal, oauthErrorOf } from './error-reply.ts'

/** Notes what an application is told of its request, for its owner. Faults of the service are none of theirs. */
export function noteRefusal(
  requests: RequestLog,
  error: unknown,
  from: { applicationId: ApplicationId; place: FailurePlace; redirectUri?: string | undefined },
): void {
  if (!isOAuthRefusal(error)) return
  const { applicationId, place, redirectUri = null } = from
  const told = oauthErrorOf(error)
  // What was sent is of interest where it is what is wrong, and nowhere else.
  const sent = error.reason === 'redirect-uri-differs' ? redirectUri : null
  requests.noteFailure(applicationId, {
    place,
    error: told.error,
    description: told.description,
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
