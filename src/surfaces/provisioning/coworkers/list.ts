import type { Bots } from '../../../domain/bots/bots.ts'
import { listBody, listResponse, nameCursors, pageOfAll, pageParameters, pageRequest } from '../../../rest/lists.ts'
import { type Operation, ok, type Route, route } from '../../../rest/operation.ts'
import { readQuery } from '../../../rest/parameters.ts'
import { existingBotIn } from '../existing-bot.ts'
import { coworkerRecord } from './contract.ts'
import { record } from './routes.ts'

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
