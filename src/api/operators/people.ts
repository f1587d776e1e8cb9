import { Readable } from 'node:stream'
import { Type } from '../../http/json-schema.ts'
import { ok, removed } from '../engine/operation.ts'
import { found, noSuchRecord, Problem } from '../engine/problem.ts'
import { api, type OperatorServices } from './api.ts'
import { exportDocument, personalData } from './people-export.ts'

/** Maximum number of applications, and of bots, whose IDs an error names. */
const namedMax = 10

/** Calls that export or delete all data about a user. */
export const peopleRoutes = ({ people, clock }: Pick<OperatorServices, 'people' | 'clock'>) => [
  api.get(
    '/users/{userId}/export',
    'Export all data about a user',
    {
      operationId: 'exportUser',
      description:
        'One JSON document, without secrets and hashes. If it ends early, because the database became unreachable, it isn’t ' +
        'valid JSON; request it again. Each export is audited.',
      audited: true,
      outcome: 'exported',
      200: ['The exported data.', personalData, 'json'],
    },
    async ({ userId }) => {
      const nowMs = clock.nowMs()
      // Read before the response starts, so that a missing user or an unreachable store still gets a problem document.
      const records = found(await people.read(userId), `user ${userId}`)
      return ok(Readable.from(exportDocument(people, userId, { records, nowMs })))
    },
  ),
  api.delete(
    '/users/{userId}',
    'Delete a user and all their data',
    {
      description:
        'Ends their sessions and revokes their tokens on every node, and deletes their runtimes and their roles in bots. ' +
        'Audit events are kept, with the user’s ID only. If the user owns applications or bots, the response is 409 unless ' +
        'cascade is true.',
      query: {
        cascade: Type.Enum(['true', 'false'], {
          type: 'string',
          default: 'false',
          description: 'true also deletes the applications and bots that the user owns',
        }),
      },
      conflicts: true,
      204: 'Deleted.',
    },
    async ({ userId, sent }) => {
      const outcome = await people.remove(userId, cascadeIn(sent) ? 'delete' : 'refuse')
      if (outcome.kind === 'unknown') throw noSuchRecord(`user ${userId}`)
      if (outcome.kind === 'owner') {
        const owned = [named('application', outcome.applicationIds), named('bot', outcome.botIds)].filter(Boolean)
        throw new Problem(
          409,
          `This user owns ${owned.join(' and ')}. Delete them or give them another owner first, or delete them too, with cascade=true (gatehouse user delete --cascade). Nothing was changed.`,
        )
      }
      return removed
    },
  ),
]

function cascadeIn({ cascade = 'false', ...unknown }: Readonly<Record<string, unknown>>): boolean {
  const [name] = Object.keys(unknown)
  if (name !== undefined) throw new Problem(400, `Unknown parameter ${name}. Known parameter: cascade.`)
  if (cascade === 'true' || cascade === 'false') return cascade === 'true'
  throw new Problem(400, 'The parameter cascade is malformed. Expected: true or false.')
}

/** Returns the IDs as a phrase, or an empty string for none. */
function named(what: string, ids: readonly string[]): string {
  if (ids.length === 0) return ''
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : ''
  return `the ${what}${ids.length === 1 ? '' : 's'} ${ids.slice(0, namedMax).join(', ')}${more}`
}
