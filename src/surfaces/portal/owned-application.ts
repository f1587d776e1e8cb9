import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApplicationRefusal } from '../../domain/applications/application-refusal.ts'
import type { Applications, OwnedApplication } from '../../domain/applications/applications.ts'
import { type ApplicationId, parseApplicationId } from '../../domain/ids.ts'
import type { ReturnOptions } from '../../pages/kept-form.ts'
import type { PageGuard, SignedInRequest } from '../../pages/page-guard.ts'

/**
 * Returns a handler for the owner of the application in the URL.
 *
 * @throws ApplicationRefusal `application-unknown`
 */
export function withOwnedApplication(
  { guard, applications }: { guard: PageGuard; applications: Pick<Applications, 'owned'> },
  work: (visit: SignedInRequest, application: OwnedApplication) => Promise<FastifyReply>,
  back?: ReturnOptions,
) {
  return guard.signedIn(async (visit) => work(visit, await ownedApplicationIn(applications, visit)), back)
}

/**
 * Returns the application in the URL. @throws ApplicationRefusal `application-unknown`, also if another user owns it.
 */
export function ownedApplicationIn(
  applications: Pick<Applications, 'owned'>,
  { session, request }: SignedInRequest,
): Promise<OwnedApplication> {
  return applications.owned.find(session.userId, applicationIdOf(request))
}

/** Returns the ID in the URL. @throws ApplicationRefusal `application-unknown` if it is malformed. */
export function applicationIdOf(request: FastifyRequest): ApplicationId {
  const { applicationId } = request.params as { applicationId: string }
  const id = parseApplicationId(applicationId)
  if (id === undefined) throw new ApplicationRefusal('application-unknown')
  return id
}
