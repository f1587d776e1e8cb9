import type { Accounts, User } from '../../domain/accounts/accounts.ts'
import type { LinkPurpose } from '../../domain/accounts/recovery/one-time-link-store.ts'
import { parseChatPlatformId, type UserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
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
} from '../engine/lists.ts'
import {
  created,
  done,
  type Operation,
  ok,
  type Parameters,
  put,
  type Route,
  removed,
  route,
} from '../engine/operation.ts'
import { readQuery, userIdIn } from '../engine/parameters.ts'
import { noSuchRecord } from '../engine/problem.ts'
import { chatPlatformId, nullable, timestamp } from '../engine/schemas.ts'

const codeHostingId = Type.String({
  pattern: `^\\S{1,${limits.codeHostingIdMaxCharacters}}$`,
  description: `ID of a code-hosting account, 1 to ${limits.codeHostingIdMaxCharacters} characters without spaces`,
})

const userBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: limits.nameAsSentMaxCharacters,
      description: `name of 1 to ${limits.personNameMaxCharacters} characters`,
    }),
    email: Type.Optional(
      nullable(
        Type.String({ maxLength: limits.emailMaxCharacters, description: 'email address that no other user has' }),
      ),
    ),
    password: Type.Optional(
      nullable(
        Type.String({
          maxLength: limits.passwordAsSentMaxCharacters,
          description: `password of ${limits.passwordMinCharacters} to ${limits.passwordMaxCharacters} characters; a new one ends all sessions of the user`,
        }),
      ),
    ),
    pin: Type.Optional(
      nullable(
        Type.String({
          pattern: `^[0-9]{${limits.pinMinDigits},${limits.pinMaxDigits}}$`,
          description: `session PIN of ${limits.pinMinDigits} to ${limits.pinMaxDigits} digits`,
        }),
      ),
    ),
    chatPlatformId: Type.Optional(nullable(chatPlatformId)),
    codeHostingId: Type.Optional(nullable(codeHostingId)),
  },
  { additionalProperties: false, title: 'UserChange', description: 'a JSON object with a user’s members' },
)

const userRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    email: nullable(Type.String()),
    chatPlatformId: nullable(Type.String()),
    codeHostingId: nullable(Type.String()),
    hasPassword: Type.Boolean(),
    hasPin: Type.Boolean(),
    disabled: Type.Boolean({ description: 'true if nobody can sign in to the account' }),
    createdAt: timestamp('when the user was created'),
  },
  { title: 'User' },
)

const putUser = {
  method: 'put',
  path: '/v1/users/{userId}',
  operationId: 'putUser',
  summary: 'Create or change a user',
  body: userBody,
  responses: {
    200: { description: 'The updated user.', schema: userRecord },
    201: { description: 'The new user.', schema: userRecord },
  },
} as const satisfies Operation

const recoveryLink = Type.Object(
  {
    url: Type.String({ description: 'the link for the user; it works once' }),
    expiresAt: timestamp('when the link expires'),
  },
  { title: 'RecoveryLink' },
)

const postRecovery = {
  method: 'post',
  path: '/v1/users/{userId}/recovery',
  operationId: 'postRecovery',
  summary: 'Create a recovery link for a locked-out user',
  description:
    'The link lets the user set a new password, which ends all their sessions, or with "pin" a new session PIN. ' +
    'It replaces an unused link of the same kind. Send it by a channel that reaches only this user.',
  body: nullable(
    Type.Object(
      { pin: Type.Optional(Type.Boolean({ description: 'true for a new PIN; false or absent for a new password' })) },
      { additionalProperties: false, description: 'a JSON object, {} or {"pin": true}' },
    ),
    'a JSON object, {} or {"pin": true}; no body for a new password',
  ),
  responses: { 201: { description: 'The link, returned only once.', schema: recoveryLink } },
} as const satisfies Operation

const getUser = {
  method: 'get',
  path: '/v1/users/{userId}',
  operationId: 'getUser',
  summary: 'Read a user',
  responses: { 200: { description: 'The user.', schema: userRecord } },
} as const satisfies Operation

export function userRoutes({
  accounts,
  recoveryUrl,
}: {
  accounts: Pick<Accounts, 'users' | 'recovery'>
  recoveryUrl: (purpose: LinkPurpose, clearTextToken: string) => string
}): Route[] {
  async function stored(id: UserId) {
    const user = await accounts.users.find(id)
    if (user === undefined) throw noSuchRecord(`user ${id}`)
    return record(user)
  }

  return [
    route(putUser, async ({ parameters, body }) => {
      const id = userIdIn(parameters)
      const { password, pin, ...others } = body
      const outcome = await accounts.users.put(id, { ...others, clearTextPassword: password, clearTextPin: pin })
      return put(outcome, await stored(id))
    }),
    route(postRecovery, async ({ parameters, body }) => {
      const { id } = await stored(userIdIn(parameters))
      const purpose = body?.pin === true ? 'set-pin' : 'reset-password'
      const { clearTextToken, expiresAtMs } = await accounts.recovery.makeLink(id, purpose)
      return created({ url: recoveryUrl(purpose, clearTextToken), expiresAt: new Date(expiresAtMs).toISOString() })
    }),
    route(getUser, async ({ parameters }) => ok(await stored(userIdIn(parameters)))),
  ]
}

function record({ createdAtMs, ...user }: User) {
  return { ...user, createdAt: new Date(createdAtMs).toISOString() }
}

const listUsers = {
  method: 'get',
  path: '/v1/users',
  operationId: 'listUsers',
  summary: 'List users',
  description: `Newest first. ${shortPages}`,
  query: {
    ...pageParameters,
    email: Type.String({
      maxLength: limits.emailMaxCharacters,
      description: 'a complete email address, ignoring case',
    }),
    emailContains: Type.String({
      minLength: 1,
      maxLength: limits.listFilterMaxCharacters,
      description: `part of the email address, 1 to ${limits.listFilterMaxCharacters} characters, such as @example.com`,
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

const disableUser = {
  method: 'post',
  path: '/v1/users/{userId}/disable',
  operationId: 'disableUser',
  summary: 'Disable a user’s account',
  description:
    'Ends the user’s sessions and revokes their tokens on every node. Nobody can sign in to the account until it is enabled. Its data, ' +
    'applications and bots are kept.',
  outcome: 'disabled',
  responses: { 204: { description: 'Disabled.' } },
} as const satisfies Operation

const enableUser = {
  method: 'post',
  path: '/v1/users/{userId}/enable',
  operationId: 'enableUser',
  summary: 'Enable a user’s account',
  description: 'The user can sign in again. Revoked tokens stay revoked.',
  outcome: 'enabled',
  responses: { 204: { description: 'Enabled.' } },
} as const satisfies Operation

const endUserSessions = {
  method: 'post',
  path: '/v1/users/{userId}/end-sessions',
  operationId: 'endUserSessions',
  summary: 'End a user’s sessions',
  description:
    'Signs the user out of the account pages and the portal on every node, and revokes their personal access tokens. ' +
    'Tokens of applications stay valid.',
  outcome: 'ended',
  responses: { 204: { description: 'Ended.' } },
} as const satisfies Operation

const revokeUserTokens = {
  method: 'post',
  path: '/v1/users/{userId}/revoke-tokens',
  operationId: 'revokeUserTokens',
  summary: 'Revoke all tokens of a user',
  description: 'Also revokes personal access tokens, and codes that have not been redeemed. Consents are kept.',
  outcome: 'revoked',
  responses: { 204: { description: 'Revoked.' } },
} as const satisfies Operation

/** Calls that end or restore a user's access. */
export function userAccessRoutes({ accounts: { users } }: { accounts: Pick<Accounts, 'users'> }): Route[] {
  async function act(parameters: Parameters, work: (id: UserId) => Promise<boolean>) {
    const id = userIdIn(parameters)
    if (!(await work(id))) throw noSuchRecord(`user ${id}`)
    return removed
  }
  async function setDisabled(parameters: Parameters, disabled: boolean) {
    const id = userIdIn(parameters)
    const outcome = await users.setDisabled(id, disabled)
    if (outcome === 'unknown') throw noSuchRecord(`user ${id}`)
    return done(outcome)
  }

  return [
    route(disableUser, ({ parameters }) => setDisabled(parameters, true)),
    route(enableUser, ({ parameters }) => setDisabled(parameters, false)),
    route(endUserSessions, ({ parameters }) => act(parameters, (id) => users.endSessions(id))),
    route(revokeUserTokens, ({ parameters }) => act(parameters, (id) => users.revokeTokens(id))),
  ]
}
