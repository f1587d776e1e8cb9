import type { FastifyRequest } from 'fastify'
import { ApplicationRefusal } from '../../domain/applications/application-refusal.ts'
import type { Applications, OwnedApplication } from '../../domain/applications/applications.ts'
import { type ApplicationId, parseApplicationId } from '../../domain/ids.ts'
import type { Visit } from '../../pages/signed-in.ts'

/**
 * The application that the address names.
 *
 * @throws ApplicationRefusal `application-unknown`, also for another owner's.
 */
export function ownedBy(applications: Applications, { session, request }: Visit): Promise<OwnedApplication> {
  return applications.owned(session.userId, applicationIdOf(request))
}

/** @throws ApplicationRefusal `application-unknown` for what is no id at all: it names none either. */
export function applicationIdOf(request: FastifyRequest): ApplicationId {
  const { applicationId } = request.params as { applicationId: string }
  const id = parseApplicationId(applicationId)
  if (id === undefined) throw new ApplicationRefusal('application-unknown')
  return id
}
