import {
  ApplicationRefusal,
  type Applications,
  type OwnedApplication,
} from '../../../domain/applications/applications.ts'
import { type ApplicationId, parseUserId } from '../../../domain/ids.ts'
import { created, ok, type Route, route } from '../../../rest/operation.ts'
import { applicationIdIn } from '../../../rest/parameters.ts'
import { noSuchRecord } from '../../../rest/problem.ts'
import { getApplication, putApplication } from './contract.ts'
import { ownPortal } from './own-portal.ts'

export function applicationRoutes({
  applications,
}: {
  applications: Pick<Applications, 'clients' | 'provisioned'>
}): Route[] {
  async function stored(id: ApplicationId) {
    const application = await applications.clients.findById(id)
    if (application === undefined) throw noSuchRecord(`application ${id}`)
    return record(application)
  }

  return [
    route(putApplication, async ({ parameters, body }) => {
      const id = applicationIdIn(parameters)
      const ownerId = parseUserId(body.ownerId)
      if (ownerId === undefined) throw new ApplicationRefusal('owner-unknown')
      const before = await applications.clients.findById(id)
      if (before?.ownerId === null) throw ownPortal()
      const outcome = await applications.provisioned.put(id, {
        ...body,
        ownerId,
        environment: body.environment === null ? 'production' : body.environment,
        firstParty: body.firstParty === null ? false : body.firstParty,
        verified: body.verified === null ? false : body.verified,
        requirePkce: body.requirePkce === null ? false : body.requirePkce,
      })
      const application = await stored(id)
      if (outcome.outcome === 'changed') return ok(application)
      return created({ ...application, clientSecret: outcome.clientSecret })
    }),
    route(getApplication, async ({ parameters }) => ok(await stored(applicationIdIn(parameters)))),
  ]
}

export function record(application: OwnedApplication) {
  const { id, clientId, ownerId, name, websiteUrl, redirectUris, environment } = application
  return {
    id,
    clientId,
    ownerId,
    name,
    websiteUrl,
    redirectUris: [...redirectUris],
    environment,
    firstParty: application.firstParty,
    verified: application.verified,
    requirePkce: application.requirePkce,
    disabled: application.disabled,
    clientSecretLastFour: application.secrets[0]?.lastFour ?? null,
    createdAt: new Date(application.createdAtMs).toISOString(),
  }
}
