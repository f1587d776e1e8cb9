import { parseOperatorKeyId } from '../../../domain/ids.ts'
import type { OperatorKeyRecord, OperatorKeys } from '../../../domain/operators/operator-keys.ts'
import { created, ok, type Route, removed, route } from '../../../rest/operation.ts'
import { Problem } from '../../../rest/problem.ts'
import { iso, isoOrNull } from '../../../rest/schemas.ts'
import { deleteOperatorKey, listOperatorKeys, postOperatorKey } from './contract.ts'

export function operatorKeyRoutes({ operatorKeys }: { operatorKeys: OperatorKeys }): Route[] {
  return [
    route(postOperatorKey, async ({ body }) => {
      const made = await operatorKeys.make(body)
      return created({ ...shown(made.record), key: made.clearTextKey })
    }),
    route(listOperatorKeys, async () => ok({ items: (await operatorKeys.list()).map(shown), next: null })),
    route(deleteOperatorKey, async ({ parameters }) => {
      const id = parseOperatorKeyId(parameters.id ?? '')
      if (id !== undefined && (await operatorKeys.end(id))) return removed
      throw new Problem(404, 'There is no such operator key. GET /v1/operator-keys lists them.')
    }),
  ]
}

function shown({ createdAtMs, lastUsedAtMs, ...others }: OperatorKeyRecord) {
  return {
    ...others,
    createdAt: iso(createdAtMs),
    lastUsedAt: isoOrNull(lastUsedAtMs),
  }
}
