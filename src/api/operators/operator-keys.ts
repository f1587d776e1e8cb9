import { parseOperatorKeyId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type OperatorKeyRecord, type OperatorKeys, operatorAccesses } from '../../domain/operators/operator-keys.ts'
import { Type } from '../../http/json-schema.ts'
import { created, type Operation, ok, type Route, removed, route } from '../engine/operation.ts'
import { Problem } from '../engine/problem.ts'
import { iso, isoOrNull, nullable, timestamp } from '../engine/schemas.ts'

const access = Type.Enum(operatorAccesses, {
  type: 'string',
  description: '"full", or "read" for GET requests only',
})

const operatorKeyBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: limits.nameAsSentMaxCharacters,
      description: `name of 1 to ${limits.operatorKeyNameMaxCharacters} characters`,
    }),
    access,
  },
  { additionalProperties: false, title: 'NewOperatorKey', description: 'a JSON object with name and access' },
)

const members = {
  id: Type.String(),
  name: Type.String(),
  access,
  lastFour: Type.String({ description: 'last four characters of the key' }),
  createdAt: timestamp('when the key was created'),
  lastUsedAt: nullable(Type.String({ format: 'date-time' }), 'accurate to the minute; null if never used'),
}

const postOperatorKey = {
  method: 'post',
  path: '/v1/operator-keys',
  operationId: 'postOperatorKey',
  summary: 'Create an operator key',
  description:
    `There can be ${limits.operatorKeysMax} at most; creating another returns 409. ` +
    'Audit events of calls with the key have its id and name in detail.',
  body: operatorKeyBody,
  conflicts: true,
  responses: {
    201: {
      description: 'The new operator key. key is returned only once.',
      schema: Type.Object(
        { ...members, key: Type.String({ description: 'the operator key, returned only once' }) },
        { title: 'CreatedOperatorKey' },
      ),
    },
  },
} as const satisfies Operation

const listOperatorKeys = {
  method: 'get',
  path: '/v1/operator-keys',
  operationId: 'listOperatorKeys',
  summary: 'List operator keys',
  description: 'The list doesn’t include the key from the environment or the key file.',
  responses: {
    200: {
      description: `All keys, newest first. next is always null, since there are at most ${limits.operatorKeysMax}.`,
      schema: Type.Object(
        { items: Type.Array(Type.Object(members, { title: 'OperatorKey' })), next: Type.Null() },
        { title: 'OperatorKeys' },
      ),
    },
  },
} as const satisfies Operation

const deleteOperatorKey = {
  method: 'delete',
  path: '/v1/operator-keys/{id}',
  operationId: 'deleteOperatorKey',
  summary: 'Revoke an operator key',
  description: 'Every node rejects the key from the next request on.',
  responses: { 204: { description: 'Ended.' } },
} as const satisfies Operation

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
