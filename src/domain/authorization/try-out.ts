import type { ApplicationId, AttemptId } from '../ids.ts'

/**
 * The redirect URI of a try-out: an address of the portal at which an application's owner sees what comes of a request.
 * Nobody registers it. It holds for the one attempt it names, which only the portal begins, and for the owner alone.
 */
export function tryOutAddress(portalUrl: string, applicationId: ApplicationId, attemptId: AttemptId): string {
  return `${portalUrl}/apps/${applicationId}/try-outs/${attemptId}`
}
