import { parseOperatorKeyId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { operatorAccesses } from '../../domain/operators/operator-keys.ts'
import { Type } from '../../http/json-schema.ts'
import { created, ok } from '../engine/api.ts'
import { Problem } from '../engine/problem.ts'
import { bodyOf, inIsoTimes, nameText, nullableTime, timestamp } from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'

const access = Type.Enum(operatorAccesses, '"full", or "read" for GET requests only')

const newKey = bodyOf('NewOperatorKey', { name: nameText(limits.operatorKeyNameMaxCharacters), access })

const members = {
  id: Type.String(),
  name: Type.String(),
  access,
  lastFour: Type.String('last four characters of the key'),
  createdAt: timestamp('when the key was created'),
  lastUsedAt: nullableTime('accurate to the minute; null if never used'),
}

const withKey = Type.Object(
  { ...members, key: Type.String('the operator key, returned only once') },
  { title: 'CreatedOperatorKey' },
)
const list = Type.Object(
  { items: Type.Array(Type.Object(members, { title: 'OperatorKey' })), next: Type.Null() },
  { title: 'OperatorKeys' },
)

export const operatorKeyRoutes = ({ operatorKeys }: OperatorServices) => [
  api.post(
    '/operator-keys',
    'Create an operator key',
    {
      description:
        `There can be ${limits.operatorKeysMax} at most; creating another returns 409. ` +
        'Audit events of calls with the key have its id and name in detail.',
      body: newKey,
      conflicts: true,
      201: ['The new operator key. key is returned only once.', withKey],
    },
    async ({ body }) => {
      const { record, clearTextKey } = await operatorKeys.make(body)
      return created({ ...inIsoTimes(record), key: clearTextKey })
    },
  ),
  api.get(
    '/operator-keys',
    'List operator keys',
    {
      operationId: 'listOperatorKeys',
      description: 'The list doesn’t include the key from the environment or the key file.',
      200: [`All keys, newest first. next is always null, since there are at most ${limits.operatorKeysMax}.`, list],
    },
    async () => ok({ items: (await operatorKeys.list()).map(inIsoTimes), next: null }),
  ),
  api.delete(
    '/operator-keys/{id}',
    'Revoke an operator key',
    { description: 'Every node rejects the key from the next request on.', 204: 'Ended.' },
    async ({ id }) => {
      const keyId = parseOperatorKeyId(id)
      if (keyId !== undefined && (await operatorKeys.end(keyId))) return { status: 204 }
      throw new Problem(404, 'There is no such operator key. GET /v1/operator-keys lists them.')
    },
  ),
]
