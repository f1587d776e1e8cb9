import type { ApplicationId, AttemptId } from '../ids.ts'

/**
 * Returns the redirect URI of a try-out: a portal page that shows the application's owner the response. It is never
 * registered. It is valid only for this attempt, which only the portal begins, and only for the owner.
 */
export function tryOutAddress(portalUrl: string, applicationId: ApplicationId, attemptId: AttemptId): string {
  return `${portalUrl}/apps/${applicationId}/try-outs/${attemptId}`
}
