import { type Collaborator, collaboratorRoles } from '../../domain/bots/bot.ts'
import type { BotId, UserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { nameCursors, pageOfAll } from '../engine/lists.ts'
import { ok, put, removed } from '../engine/operation.ts'
import { found, noSuchRecord } from '../engine/problem.ts'
import { bodyOf } from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'
import { demandBot } from './bots.ts'

const role = Type.Enum(collaboratorRoles, { type: 'string', description: 'editor or viewer' })
const capability = Type.String({
  minLength: 1,
  maxLength: limits.capabilityMaxCharacters,
  description: `a capability of 1 to ${limits.capabilityMaxCharacters} characters`,
})

const change = bodyOf('CoworkerChange', {
  role,
  capabilities: Type.Array(capability, {
    maxItems: limits.capabilitiesPerCollaborator,
    description: `a list of at most ${limits.capabilitiesPerCollaborator} capabilities`,
  }),
})

const record = Type.Object(
  { botId: Type.String(), userId: Type.String(), role, capabilities: Type.Array(Type.String()) },
  { title: 'Coworker' },
)

const one = '/bots/{botId}/coworkers/{userId}'

export function collaboratorRoutes({ bots: { records } }: Pick<OperatorServices, 'bots'>) {
  async function stored(botId: BotId, userId: UserId) {
    return shown(botId, found(await records.findCollaborator(botId, userId), `coworker ${userId} of bot ${botId}`))
  }

  return [
    api.put(
      one,
      'Add or change a collaborator',
      { body: change, 200: ['The updated collaborator.', record], 201: ['The new collaborator.', record] },
      async ({ botId, userId, body }) => {
        const outcome = await records.putCollaborator(botId, { userId, ...body })
        return put(outcome, await stored(botId, userId))
      },
    ),
    api.get(one, 'Read a collaborator', { 200: ['The collaborator.', record] }, async ({ botId, userId }) =>
      ok(await stored(botId, userId)),
    ),
    api.delete(one, 'Remove a collaborator', { 204: 'Removed.' }, async ({ botId, userId }) => {
      if (!(await records.removeCollaborator(botId, userId))) throw noSuchRecord(`coworker ${userId} of bot ${botId}`)
      return removed
    }),
  ]
}

function shown(botId: BotId, { userId, role, capabilities }: Collaborator) {
  return { botId, userId, role, capabilities }
}

export const collaboratorList = ({ bots }: Pick<OperatorServices, 'bots'>) =>
  api.list(
    '/bots/{botId}/coworkers',
    'List a bot’s collaborators',
    { description: 'Sorted by user ID.', cursors: nameCursors, 200: ['A page of collaborators.', record] },
    async ({ botId }, page) => {
      await demandBot(bots, botId)
      const all = await bots.records.listCollaborators(botId)
      return pageOfAll(
        all.map((collaborator) => shown(botId, collaborator)),
        ({ userId }) => userId,
        page,
      )
    },
    (collaborator) => collaborator,
  )
