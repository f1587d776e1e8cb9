import type { ApplicationId, AttemptId } from '../ids.ts'

/**
 * Returns the redirect URI of a test run: a portal page that shows the response to the application's owner. The URI is
 * never registered. Only the attempt with this ID may use it. The portal begins the attempt, and only the owner can
 * continue it.
 */
export function tryOutAddress(portalUrl: string, applicationId: ApplicationId, attemptId: AttemptId): string {
  return `${portalUrl}/apps/${applicationId}/try-outs/${attemptId}`
}
