import type { Accounts, User } from '../../../domain/accounts/accounts.ts'
import type { UserId } from '../../../domain/ids.ts'
import { linkUrl } from '../../../pages/one-time-link.ts'
import { created, ok, put, type Route, route } from '../../../rest/operation.ts'
import { userIdIn } from '../../../rest/parameters.ts'
import { noSuchRecord } from '../../../rest/problem.ts'
import { getUser, postRecovery, putUser } from './contract.ts'

export function userRoutes({
  accounts,
  baseUrl,
}: {
  accounts: Pick<Accounts, 'users' | 'recovery'>
  baseUrl: string
}): Route[] {
  async function stored(id: UserId) {
    const user = await accounts.users.find(id)
    if (user === undefined) throw noSuchRecord(`user ${id}`)
    return record(user)
  }

  return [
    route(putUser, async ({ parameters, body }) => {
      const id = userIdIn(parameters)
      const { password, pin, ...others } = body
      const outcome = await accounts.users.put(id, { ...others, clearTextPassword: password, clearTextPin: pin })
      return put(outcome, await stored(id))
    }),
    route(postRecovery, async ({ parameters, body }) => {
      const { id } = await stored(userIdIn(parameters))
      const purpose = body?.pin === true ? 'set-pin' : 'reset-password'
      const { clearTextToken, expiresAtMs } = await accounts.recovery.makeLink(id, purpose)
      const url = linkUrl(baseUrl, purpose, clearTextToken)
      return created({ url, expiresAt: new Date(expiresAtMs).toISOString() })
    }),
    route(getUser, async ({ parameters }) => ok(await stored(userIdIn(parameters)))),
  ]
}

export function record({ createdAtMs, ...user }: User) {
  return { ...user, createdAt: new Date(createdAtMs).toISOString() }
}
