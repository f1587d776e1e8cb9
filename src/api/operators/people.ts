import { Readable } from 'node:stream'
import type { Clock } from '../../domain/clock.ts'
import type { People } from '../../domain/people/people.ts'
import { Type } from '../../http/json-schema.ts'
import { type Operation, ok, type Route, removed, route } from '../engine/operation.ts'
import { userIdIn } from '../engine/parameters.ts'
import { noSuchRecord, Problem } from '../engine/problem.ts'
import { exportDocument, exportUser } from './people-export.ts'

const deleteUser = {
  method: 'delete',
  path: '/v1/users/{userId}',
  operationId: 'deleteUser',
  summary: 'Delete a user and all their data',
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
  responses: { 204: { description: 'Deleted.' } },
} as const satisfies Operation

/** Maximum number of applications, and of bots, whose IDs an error names. */
const namedMax = 10

/** Calls that export or delete all data about a user. */
export function peopleRoutes({ people, clock }: { people: People; clock: Clock }): Route[] {
  return [
    route(exportUser, async ({ parameters }) => {
      const id = userIdIn(parameters)
      const nowMs = clock.nowMs()
      // Read before the response starts, so that a missing user or an unreachable store still gets a problem document.
      const records = await people.read(id)
      if (records === undefined) throw noSuchRecord(`user ${id}`)
      return ok(Readable.from(exportDocument(people, id, { records, nowMs })))
    }),
    route(deleteUser, async ({ parameters, query }) => {
      const id = userIdIn(parameters)
      const outcome = await people.remove(id, cascadeIn(query) ? 'delete' : 'refuse')
      if (outcome.kind === 'unknown') throw noSuchRecord(`user ${id}`)
      if (outcome.kind === 'owner') {
        const owned = [named('application', outcome.applicationIds), named('bot', outcome.botIds)].filter(Boolean)
        throw new Problem(
          409,
          `This user owns ${owned.join(' and ')}. Delete them or give them another owner first, or delete them too, with cascade=true (gatehouse user delete --cascade). Nothing was changed.`,
        )
      }
      return removed
    }),
  ]
}

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
