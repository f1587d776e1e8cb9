import type { Accounts } from '../../../domain/accounts/accounts.ts'
import type { UserId } from '../../../domain/ids.ts'
import { type Parameters, type Route, removed, route } from '../../../rest/operation.ts'
import { userIdIn } from '../../../rest/parameters.ts'
import { noSuchRecord } from '../../../rest/problem.ts'
import { disableUser, enableUser, endUserSessions, revokeUserTokens } from './access-contract.ts'

/** Calls that end or restore a user's access. */
export function userAccessRoutes({ accounts: { users } }: { accounts: Pick<Accounts, 'users'> }): Route[] {
  async function act(parameters: Parameters, work: (id: UserId) => Promise<boolean>) {
    const id = userIdIn(parameters)
    if (!(await work(id))) throw noSuchRecord(`user ${id}`)
    return removed
  }

  return [
    route(disableUser, ({ parameters }) => act(parameters, (id) => users.setDisabled(id, true))),
    route(enableUser, ({ parameters }) => act(parameters, (id) => users.setDisabled(id, false))),
    route(endUserSessions, ({ parameters }) => act(parameters, (id) => users.endSessions(id))),
    route(revokeUserTokens, ({ parameters }) => act(parameters, (id) => users.revokeTokens(id))),
  ]
}
