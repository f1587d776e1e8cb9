import type { Applications } from '../../../domain/applications/applications.ts'
import type { Authorization } from '../../../domain/authorization/authorization.ts'
import type { ApplicationId } from '../../../domain/ids.ts'
import { type Parameters, type Route, removed, route } from '../../../rest/operation.ts'
import { applicationIdIn } from '../../../rest/parameters.ts'
import { noSuchRecord } from '../../../rest/problem.ts'
import { deleteApplication, disableApplication, enableApplication, revokeApplicationTokens } from './access-contract.ts'
import { ownPortal } from './own-portal.ts'

/** Calls that end or restore an application's access. The service's own portal is refused. */
export function applicationAccessRoutes({
  applications: { clients, provisioned },
  authorization: { tokens },
}: {
  applications: Pick<Applications, 'clients' | 'provisioned'>
  authorization: Pick<Authorization, 'tokens'>
}): Route[] {
  /** @param work returns `false` if the application has been deleted meanwhile. */
  async function act(parameters: Parameters, work: (id: ApplicationId) => Promise<boolean>) {
    const id = applicationIdIn(parameters)
    const application = await clients.findById(id)
    if (application?.ownerId === null) throw ownPortal()
    if (application === undefined || (await work(id)) === false) throw noSuchRecord(`application ${id}`)
    return removed
  }

  return [
    route(deleteApplication, ({ parameters }) => act(parameters, (id) => provisioned.remove(id))),
    route(disableApplication, ({ parameters }) => act(parameters, (id) => provisioned.setDisabled(id, true))),
    route(enableApplication, ({ parameters }) => act(parameters, (id) => provisioned.setDisabled(id, false))),
    route(revokeApplicationTokens, ({ parameters }) =>
      act(parameters, async (id) => {
        await tokens.revokeAllOf(id)
        return true
      }),
    ),
  ]
}
