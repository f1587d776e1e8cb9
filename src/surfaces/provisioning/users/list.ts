import type { Accounts } from '../../../domain/accounts/accounts.ts'
import { parseChatPlatformId } from '../../../domain/ids.ts'
import { emailMaxCharacters, listFilterMaxCharacters } from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import {
  ageCursors,
  createdSince,
  listBody,
  listResponse,
  msOf,
  nameContains,
  pageParameters,
  pageRequest,
  shortPages,
} from '../../../rest/lists.ts'
import { type Operation, ok, type Route, route } from '../../../rest/operation.ts'
import { readQuery } from '../../../rest/parameters.ts'
import { chatPlatformId } from '../../../rest/schemas.ts'
import { codeHostingId, userRecord } from './contract.ts'
import { record } from './routes.ts'

const listUsers = {
  method: 'get',
  path: '/v1/users',
  operationId: 'listUsers',
  summary: 'List users',
  description: `Newest first. ${shortPages}`,
  query: {
    ...pageParameters,
    email: Type.String({ maxLength: emailMaxCharacters, description: 'a complete email address, ignoring case' }),
    emailContains: Type.String({
      minLength: 1,
      maxLength: listFilterMaxCharacters,
      description: `part of the email address, 1 to ${listFilterMaxCharacters} characters, such as @example.com`,
    }),
    nameContains,
    chatPlatformId,
    codeHostingId,
    createdSince,
  },
  responses: { 200: { description: 'A page of users.', schema: listBody('Users', userRecord) } },
} as const satisfies Operation

export function userListRoutes({ accounts }: { accounts: Pick<Accounts, 'users'> }): Route[] {
  return [
    route(listUsers, async ({ query }) => {
      const { limit, after, createdSince, chatPlatformId, ...filter } = readQuery(listUsers.query, query)
      const page = await accounts.users.page(
        { ...filter, chatPlatformId: parseChatPlatformId(chatPlatformId ?? ''), createdSinceMs: msOf(createdSince) },
        pageRequest({ limit, after }, ageCursors),
      )
      return ok(listResponse(page, ageCursors, record))
    }),
  ]
}
