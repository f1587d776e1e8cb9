import type { ApplicationId, AttemptId } from '../ids.ts'

/**
 * Returns the redirect URI of a test run: a portal page that shows the response to the application's owner. It is never
 * registered. It is valid only for this attempt, which only the portal can begin, and only for the owner.
 */
export function tryOutAddress(portalUrl: string, applicationId: ApplicationId, attemptId: AttemptId): string {
  return `${portalUrl}/apps/${applicationId}/try-outs/${attemptId}`
}
