import { type Coworker, coworkerRoles } from '../../domain/bots/bot.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { BotId, UserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { listBody, listResponse, nameCursors, pageOfAll, pageParameters, pageRequest } from '../engine/lists.ts'
import { type Operation, ok, put, type Route, removed, route } from '../engine/operation.ts'
import { botIdIn, readQuery, userIdIn } from '../engine/parameters.ts'
import { noSuchRecord } from '../engine/problem.ts'
import { existingBotIn } from './bots.ts'

const role = Type.Enum(coworkerRoles, { type: 'string', description: 'editor or viewer' })
const capability = Type.String({
  minLength: 1,
  maxLength: limits.capabilityMaxCharacters,
  description: `a capability of 1 to ${limits.capabilityMaxCharacters} characters`,
})

const coworkerBody = Type.Object(
  {
    role,
    capabilities: Type.Array(capability, {
      maxItems: limits.capabilitiesPerCoworker,
      description: `a list of at most ${limits.capabilitiesPerCoworker} capabilities`,
    }),
  },
  { additionalProperties: false, title: 'CoworkerChange', description: 'a JSON object with role and capabilities' },
)

const coworkerRecord = Type.Object(
  { botId: Type.String(), userId: Type.String(), role, capabilities: Type.Array(Type.String()) },
  { title: 'Coworker' },
)

const putCoworker = {
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

const deleteCoworker = {
  method: 'delete',
  path: '/v1/bots/{botId}/coworkers/{userId}',
  operationId: 'deleteCoworker',
  summary: 'Remove a collaborator',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies Operation

const getCoworker = {
  method: 'get',
  path: '/v1/bots/{botId}/coworkers/{userId}',
  operationId: 'getCoworker',
  summary: 'Read a collaborator',
  responses: { 200: { description: 'The collaborator.', schema: coworkerRecord } },
} as const satisfies Operation

export function coworkerRoutes({ bots }: { bots: Pick<Bots, 'records'> }): Route[] {
  async function stored(botId: BotId, userId: UserId) {
    const coworker = await bots.records.findCoworker(botId, userId)
    if (coworker === undefined) throw noSuchRecord(`coworker ${userId} of bot ${botId}`)
    return record(botId, coworker)
  }

  return [
    route(putCoworker, async ({ parameters, body }) => {
      const botId = botIdIn(parameters)
      const userId = userIdIn(parameters)
      const outcome = await bots.records.putCoworker(botId, { userId, ...body })
      return put(outcome, await stored(botId, userId))
    }),
    route(getCoworker, async ({ parameters }) => ok(await stored(botIdIn(parameters), userIdIn(parameters)))),
    route(deleteCoworker, async ({ parameters }) => {
      const botId = botIdIn(parameters)
      const userId = userIdIn(parameters)
      if (!(await bots.records.removeCoworker(botId, userId))) throw noSuchRecord(`coworker ${userId} of bot ${botId}`)
      return removed
    }),
  ]
}

function record(botId: BotId, { userId, role, capabilities }: Coworker) {
  return { botId, userId, role, capabilities: [...capabilities] }
}

const listCoworkers = {
  method: 'get',
  path: '/v1/bots/{botId}/coworkers',
  operationId: 'listCoworkers',
  summary: 'List a bot’s collaborators',
  description: 'Sorted by user ID.',
  query: pageParameters,
  responses: { 200: { description: 'A page of collaborators.', schema: listBody('Coworkers', coworkerRecord) } },
} as const satisfies Operation

export function coworkerListRoutes({ bots }: { bots: Pick<Bots, 'records'> }): Route[] {
  return [
    route(listCoworkers, async ({ parameters, query }) => {
      const request = pageRequest(readQuery(listCoworkers.query, query), nameCursors)
      const botId = await existingBotIn(parameters, bots)
      const page = await pageOfAll(await bots.records.listCoworkers(botId), ({ userId }) => userId, request)
      return ok(listResponse(page, nameCursors, (coworker) => record(botId, coworker)))
    }),
  ]
}
