import { Type } from '../../../http/json-schema.ts'
import type { Operation } from '../../../rest/operation.ts'

export const deleteUser = {
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
