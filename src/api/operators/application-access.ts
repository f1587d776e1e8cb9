import type { ApplicationId } from '../../domain/ids.ts'
import { done } from '../engine/operation.ts'
import { noSuchRecord } from '../engine/problem.ts'
import { api, type OperatorServices } from './api.ts'
import { ownPortal } from './applications.ts'

const one = '/applications/{applicationId}'

/** Calls that end or restore an application's access. The service's own portal is refused. */
export function applicationAccessRoutes({
  applications: { clients, provisioned },
  authorization: { tokens },
}: Pick<OperatorServices, 'applications' | 'authorization'>) {
  /** @param work returns `unknown` if the application has been deleted meanwhile. */
  async function act(id: ApplicationId, work: (id: ApplicationId) => Promise<'changed' | 'unchanged' | 'unknown'>) {
    const application = await clients.findById(id)
    if (application?.ownerId === null) throw ownPortal()
    const outcome = application === undefined ? 'unknown' : await work(id)
    if (outcome === 'unknown') throw noSuchRecord(`application ${id}`)
    return done(outcome)
  }

  return [
    api.delete(
      one,
      'Delete an application',
      {
        description:
          'Revokes its codes, tokens and client secrets on every node. The ID can’t be reused. Users’ consents are kept but hidden.',
        conflicts: true,
        204: 'Deleted.',
      },
      ({ applicationId }) => act(applicationId, async (id) => ((await provisioned.remove(id)) ? 'changed' : 'unknown')),
    ),
    api.post(
      `${one}/disable`,
      'Disable an application',
      {
        operationId: 'disableApplication',
        description:
          'While it is disabled, its authorization requests, credentials, codes and tokens are rejected on every node, like those ' +
          'of an unknown application.',
        outcome: 'disabled',
        conflicts: true,
        204: 'Disabled.',
      },
      ({ applicationId }) => act(applicationId, (id) => provisioned.setDisabled(id, true)),
    ),
    api.post(
      `${one}/enable`,
      'Enable an application',
      {
        operationId: 'enableApplication',
        description: 'Tokens that have not expired in the meantime work again. To prevent this, revoke them first.',
        outcome: 'enabled',
        conflicts: true,
        204: 'Enabled.',
      },
      ({ applicationId }) => act(applicationId, (id) => provisioned.setDisabled(id, false)),
    ),
    api.post(
      `${one}/revoke-tokens`,
      'Revoke all tokens of an application',
      {
        operationId: 'revokeApplicationTokens',
        description:
          'Also revokes codes that have not been redeemed. Consents are kept. Tokens are revoked one by one: if the call fails, ' +
          'repeat it. To prevent new tokens in the meantime, disable the application first.',
        outcome: 'revoked',
        conflicts: true,
        204: 'Revoked.',
      },
      ({ applicationId }) =>
        act(applicationId, async (id) => {
          await tokens.revokeAllOf(id)
          return 'changed'
        }),
    ),
  ]
}
