import type { Applications } from '../../domain/applications/applications.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { ApplicationId } from '../../domain/ids.ts'
import { done, type Operation, type Parameters, type Route, route } from '../engine/operation.ts'
import { applicationIdIn } from '../engine/parameters.ts'
import { noSuchRecord } from '../engine/problem.ts'
import { ownPortal } from './applications.ts'

const deleteApplication = {
  method: 'delete',
  path: '/v1/applications/{applicationId}',
  operationId: 'deleteApplication',
  summary: 'Delete an application',
  description:
    'Revokes its codes, tokens and client secrets on every node. The ID can’t be reused. Users’ consents are kept but hidden.',
  conflicts: true,
  responses: { 204: { description: 'Deleted.' } },
} as const satisfies Operation

const disableApplication = {
  method: 'post',
  path: '/v1/applications/{applicationId}/disable',
  operationId: 'disableApplication',
  summary: 'Disable an application',
  description:
    'While it is disabled, its authorization requests, credentials, codes and tokens are rejected on every node, like those ' +
    'of an unknown application.',
  outcome: 'disabled',
  conflicts: true,
  responses: { 204: { description: 'Disabled.' } },
} as const satisfies Operation

const enableApplication = {
  method: 'post',
  path: '/v1/applications/{applicationId}/enable',
  operationId: 'enableApplication',
  summary: 'Enable an application',
  description: 'Tokens that have not expired in the meantime work again. To prevent this, revoke them first.',
  outcome: 'enabled',
  conflicts: true,
  responses: { 204: { description: 'Enabled.' } },
} as const satisfies Operation

const revokeApplicationTokens = {
  method: 'post',
  path: '/v1/applications/{applicationId}/revoke-tokens',
  operationId: 'revokeApplicationTokens',
  summary: 'Revoke all tokens of an application',
  description:
    'Also revokes codes that have not been redeemed. Consents are kept. Tokens are revoked one by one: if the call fails, ' +
    'repeat it. To prevent new tokens in the meantime, disable the application first.',
  outcome: 'revoked',
  conflicts: true,
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies Operation

/** Calls that end or restore an application's access. The service's own portal is refused. */
export function applicationAccessRoutes({
  applications: { clients, provisioned },
  authorization: { tokens },
}: {
  applications: Pick<Applications, 'clients' | 'provisioned'>
  authorization: Pick<Authorization, 'tokens'>
}): Route[] {
  /** @param work returns `unknown` if the application has been deleted meanwhile. */
  async function act(
    parameters: Parameters,
    work: (id: ApplicationId) => Promise<'changed' | 'unchanged' | 'unknown'>,
  ) {
    const id = applicationIdIn(parameters)
    const application = await clients.findById(id)
    if (application?.ownerId === null) throw ownPortal()
    const outcome = application === undefined ? 'unknown' : await work(id)
    if (outcome === 'unknown') throw noSuchRecord(`application ${id}`)
    return done(outcome)
  }

  return [
    route(deleteApplication, ({ parameters }) =>
      act(parameters, async (id) => ((await provisioned.remove(id)) ? 'changed' : 'unknown')),
    ),
    route(disableApplication, ({ parameters }) => act(parameters, (id) => provisioned.setDisabled(id, true))),
    route(enableApplication, ({ parameters }) => act(parameters, (id) => provisioned.setDisabled(id, false))),
    route(revokeApplicationTokens, ({ parameters }) =>
      act(parameters, async (id) => {
        await tokens.revokeAllOf(id)
        return 'changed'
      }),
    ),
  ]
}
