import { coworkerRoles } from '../../../domain/bots/bot.ts'
import { capabilitiesPerCoworker, capabilityMaxCharacters } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import type { Operation } from '../../../rest/operation.ts'

const role = Type.Enum(coworkerRoles, { type: 'string', description: 'editor or viewer' })
const capability = Type.String({
  minLength: 1,
  maxLength: capabilityMaxCharacters,
  description: `a capability of 1 to ${capabilityMaxCharacters} characters`,
})

const coworkerBody = Type.Object(
  {
    role,
    capabilities: Type.Array(capability, {
      maxItems: capabilitiesPerCoworker,
      description: `a list of at most ${capabilitiesPerCoworker} capabilities`,
    }),
  },
  { additionalProperties: false, title: 'CoworkerChange', description: 'a JSON object with role and capabilities' },
)

export const coworkerRecord = Type.Object(
  { botId: Type.String(), userId: Type.String(), role, capabilities: Type.Array(Type.String()) },
  { title: 'Coworker' },
)

export const putCoworker = {
  method: 'put',
  path: '/v1/bots/{botId}/coworkers/{userId}',
  operationId: 'putCoworker',
  summary: 'Add or change a collaborator',
  body: coworkerBody,
  responses: {
    200: { description: 'The updated collaborator.', schema: coworkerRecord },
    201: { description: 'The new collaborator.', schema: coworkerRecord },
  },
} as const satisfies Operation

export const deleteCoworker = {
  method: 'delete',
  path: '/v1/bots/{botId}/coworkers/{userId}',
  operationId: 'deleteCoworker',
  summary: 'Remove a collaborator',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies Operation

export const getCoworker = {
  method: 'get',
  path: '/v1/bots/{botId}/coworkers/{userId}',
  operationId: 'getCoworker',
  summary: 'Read a collaborator',
  responses: { 200: { description: 'The collaborator.', schema: coworkerRecord } },
} as const satisfies Operation
