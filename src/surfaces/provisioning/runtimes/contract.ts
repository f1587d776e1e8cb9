import {
  botNameMaxCharacters,
  botsPerRuntime,
  idMaxCharacters,
  nameAsSentMaxCharacters,
  runtimesListedMax,
} from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import { nullable, timestamp } from '../contract.ts'
import type { Operation } from '../operation.ts'

const runtimeBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: nameAsSentMaxCharacters,
      description: `name of 1 to ${botNameMaxCharacters} characters`,
    }),
    botIds: Type.Union(
      [
        Type.Literal('*'),
        Type.Array(Type.String({ maxLength: idMaxCharacters, description: 'a bot’s id' }), {
          minItems: 1,
          maxItems: botsPerRuntime,
        }),
      ],
      { description: `a list of 1 to ${botsPerRuntime} ids of bots that it may host, or "*" for every bot` },
    ),
  },
  { additionalProperties: false, title: 'NewRuntime', description: 'a JSON object with name and botIds' },
)

const members = {
  id: Type.String(),
  name: Type.String(),
  ownerId: nullable(Type.String(), 'the user who made it on a bot’s page, or null for the operator’s'),
  botIds: Type.Union([Type.Literal('*'), Type.Array(Type.String())]),
  keyLastFour: Type.String({ description: 'of the current key' }),
  keys: Type.Array(
    Type.Object(
      {
        number: Type.Integer({ description: 'names the key' }),
        lastFour: Type.String(),
        madeAt: timestamp('when the key was made'),
        lastUsedAt: nullable(Type.String({ format: 'date-time' }), 'up to a minute old; null: never'),
        endsAt: nullable(
          Type.String({ format: 'date-time' }),
          'null for the current key; the one before it works until then',
        ),
      },
      { title: 'RuntimeKey' },
    ),
    { description: 'the live keys, the current one first' },
  ),
  createdAt: timestamp('when the runtime was made'),
}
const runtimeRecord = Type.Object(members, { title: 'Runtime' })
const newKeyBody = Type.Object(
  {
    keyBefore: Type.Optional(
      Type.Union([Type.Literal('ends-in-24-hours'), Type.Literal('ends-now')], {
        description: '"ends-in-24-hours" (the default) or, after a leak, "ends-now"',
      }),
    ),
  },
  { additionalProperties: false, title: 'NewRuntimeKey', description: 'a JSON object, which may be empty' },
)
const createdRuntime = Type.Object(
  { ...members, key: Type.String({ description: 'the runtime key, told this once' }) },
  { title: 'CreatedRuntime' },
)

export const postRuntime = {
  method: 'post',
  path: '/v1/runtimes',
  operationId: 'postRuntime',
  summary: 'Make a runtime and its key',
  body: runtimeBody,
  answers: { 201: { description: 'The runtime with its key.', schema: createdRuntime } },
} as const satisfies Operation

export const listRuntimes = {
  method: 'get',
  path: '/v1/runtimes',
  operationId: 'listRuntimes',
  summary: 'Read the runtimes',
  answers: {
    200: {
      description: `At most ${runtimesListedMax}, newest first.`,
      schema: Type.Object({ runtimes: Type.Array(runtimeRecord) }, { title: 'Runtimes' }),
    },
  },
} as const satisfies Operation

export const getRuntime = {
  method: 'get',
  path: '/v1/runtimes/{runtimeId}',
  operationId: 'getRuntime',
  summary: 'Read a runtime',
  answers: { 200: { description: 'The runtime.', schema: runtimeRecord } },
} as const satisfies Operation

export const deleteRuntime = {
  method: 'delete',
  path: '/v1/runtimes/{runtimeId}',
  operationId: 'deleteRuntime',
  summary: 'Remove a runtime',
  description: 'Its key is refused from now on, and its connections end.',
  answers: { 204: { description: 'Removed.' } },
} as const satisfies Operation

export const postRuntimeKey = {
  method: 'post',
  path: '/v1/runtimes/{runtimeId}/keys',
  operationId: 'postRuntimeKey',
  summary: 'Make a new key of a runtime',
  description:
    'The key before works on for 24 hours, so that the new one can be brought to the runtime without an outage, or ends now with the connections it opened. A runtime has at most two live keys: one that was ending already is gone at once.',
  body: newKeyBody,
  answers: { 201: { description: 'The runtime with its new key.', schema: createdRuntime } },
} as const satisfies Operation

export const deleteRuntimeKey = {
  method: 'delete',
  path: '/v1/runtimes/{runtimeId}/keys/{keyNumber}',
  operationId: 'deleteRuntimeKey',
  summary: 'End the key before the current one',
  description:
    'It is refused from now on, and the connections it opened end. The current key can’t be ended: make a new one, or delete the runtime.',
  answers: { 204: { description: 'Ended.' } },
} as const satisfies Operation
