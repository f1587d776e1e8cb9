import { Type } from '../../../http/json-schema.ts'
import type { Operation } from '../../../rest/operation.ts'

export const deleteUser = {
  method: 'delete',
  path: '/v1/users/{userId}',
  operationId: 'deleteUser',
  summary: 'Delete a user with everything that is theirs',
  description:
    'Ends their sessions and tokens on every node, and deletes their runtimes and their roles in bots. Audit events ' +
    'stay, with the ID only. A user who owns applications or bots is refused (409) unless ' +
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
