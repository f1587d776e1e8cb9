import { Readable } from 'node:stream'
import type { UserId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { created, done, ok, put } from '../engine/api.ts'
import { ageCursors, createdSince, nameContains, shortPages } from '../engine/lists.ts'
import { found, noSuchRecord, Problem } from '../engine/problem.ts'
import { bodyOf, chatPlatformId, clearable, inIsoTimes, iso, nameText, nullable, timestamp } from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'
import { exportDocument, personalData } from './people-export.ts'

const codeHostingId = Type.String({
  pattern: `^\\S{1,${limits.codeHostingIdMaxCharacters}}$`,
  description: `ID of a code-hosting account, 1 to ${limits.codeHostingIdMaxCharacters} characters without spaces`,
})

const change = bodyOf(
  'UserChange',
  {
    name: nameText(limits.personNameMaxCharacters),
    email: clearable(
      Type.String({ maxLength: limits.emailMaxCharacters, description: 'email address that no other user has' }),
    ),
    password: clearable(
      Type.String({
        maxLength: limits.passwordAsSentMaxCharacters,
        description: `password of ${limits.passwordMinCharacters} to ${limits.passwordMaxCharacters} characters; a new one ends all sessions of the user`,
      }),
    ),
    pin: clearable(
      Type.String({
        pattern: `^[0-9]{${limits.pinMinDigits},${limits.pinMaxDigits}}$`,
        description: `session PIN of ${limits.pinMinDigits} to ${limits.pinMaxDigits} digits`,
      }),
    ),
    chatPlatformId: clearable(chatPlatformId),
    codeHostingId: clearable(codeHostingId),
  },
  'a JSON object with a user’s members',
)

const record = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    email: nullable(Type.String()),
    chatPlatformId: nullable(Type.String()),
    codeHostingId: nullable(Type.String()),
    hasPassword: Type.Boolean(),
    hasPin: Type.Boolean(),
    disabled: Type.Boolean('true if nobody can sign in to the account'),
    createdAt: timestamp('when the user was created'),
  },
  { title: 'User' },
)

const recoveryLink = Type.Object(
  {
    url: Type.String('the link for the user; it works once'),
    expiresAt: timestamp('when the link expires'),
  },
  { title: 'RecoveryLink' },
)
const recoveryBody = nullable(
  Type.Object(
    { pin: Type.Optional(Type.Boolean('true for a new PIN; false or absent for a new password')) },
    { additionalProperties: false, description: 'a JSON object, {} or {"pin": true}' },
  ),
  'a JSON object, {} or {"pin": true}; no body for a new password',
)

const one = '/users/{userId}'

export function userRoutes({ accounts: { users, recovery }, people, clock, recoveryUrl }: OperatorServices) {
  const missing = (id: UserId) => () => noSuchRecord(`user ${id}`)
  async function stored(id: UserId) {
    return inIsoTimes(found(await users.find(id), `user ${id}`))
  }

  return [
    api.put(
      one,
      'Create or change a user',
      { body: change, 200: ['The updated user.', record], 201: ['The new user.', record] },
      async ({ userId, body: { password, pin, ...others } }) => {
        const form = { ...others, clearTextPassword: password, clearTextPin: pin }
        return put(await users.put(userId, form), await stored(userId))
      },
    ),
    api.post(
      `${one}/recovery`,
      'Create a recovery link for a locked-out user',
      {
        operationId: 'postRecovery',
        description:
          'The link lets the user set a new password, which ends all their sessions, or with "pin" a new session PIN. ' +
          'It replaces an unused link of the same kind. Send it by a channel that reaches only this user.',
        body: recoveryBody,
        201: ['The link, returned only once.', recoveryLink],
      },
      async ({ userId, body }) => {
        const { id } = await stored(userId)
        const purpose = body?.pin === true ? 'set-pin' : 'reset-password'
        const { clearTextToken, expiresAtMs } = await recovery.makeLink(id, purpose)
        return created({ url: recoveryUrl(purpose, clearTextToken), expiresAt: iso(expiresAtMs) })
      },
    ),
    api.get(one, 'Read a user', { 200: ['The user.', record] }, async ({ userId }) => ok(await stored(userId))),
    api.list(
      '/users',
      'List users',
      {
        description: `Newest first. ${shortPages}`,
        query: {
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
        cursors: ageCursors,
        200: ['A page of users.', record],
      },
      ({ query: { createdSince: createdSinceMs, ...filter } }, page) => users.page({ ...filter, createdSinceMs }, page),
      inIsoTimes,
    ),
    api.post(
      `${one}/disable`,
      'Disable a user’s account',
      {
        description:
          'Ends the user’s sessions and revokes their tokens on every node. Nobody can sign in to the account until it is enabled. Its data, ' +
          'applications and bots are kept.',
        204: 'Disabled.',
      },
      ({ userId }) => done(users.setDisabled(userId, true), missing(userId)),
    ),
    api.post(
      `${one}/enable`,
      'Enable a user’s account',
      { description: 'The user can sign in again. Revoked tokens stay revoked.', 204: 'Enabled.' },
      ({ userId }) => done(users.setDisabled(userId, false), missing(userId)),
    ),
    api.post(
      `${one}/end-sessions`,
      'End a user’s sessions',
      {
        description:
          'Signs the user out of the account pages and the portal on every node, and revokes their personal access tokens. ' +
          'Tokens of applications stay valid.',
        204: 'Ended.',
      },
      ({ userId }) => done(users.endSessions(userId), missing(userId)),
    ),
    api.post(
      `${one}/revoke-tokens`,
      'Revoke all tokens of a user',
      {
        description: 'Also revokes personal access tokens, and codes that have not been redeemed. Consents are kept.',
        204: 'Revoked.',
      },
      ({ userId }) => done(users.revokeTokens(userId), missing(userId)),
    ),
    api.get(
      `${one}/export`,
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
      one,
      'Delete a user and all their data',
      {
        description:
          'Ends their sessions and revokes their tokens on every node, and deletes their runtimes and their roles in bots. ' +
          'Audit events are kept, with the user’s ID only. If the user owns applications or bots, the response is 409 unless ' +
          'cascade is true.',
        query: {
          cascade: Type.Enum(['true', 'false'], {
            default: 'false',
            description: 'true or false; true also deletes the applications and bots that the user owns',
          }),
        },
        conflicts: true,
        204: 'Deleted.',
      },
      async ({ userId, query: { cascade } }) => {
        const outcome = await people.remove(userId, cascade === 'true' ? 'delete' : 'refuse')
        if (outcome.kind === 'unknown') throw noSuchRecord(`user ${userId}`)
        if (outcome.kind === 'owner') {
          const owned = [named('application', outcome.applicationIds), named('bot', outcome.botIds)].filter(Boolean)
          throw new Problem(
            409,
            `This user owns ${owned.join(' and ')}. Delete them or give them another owner first, or delete them too, with cascade=true (gatehouse user delete --cascade). Nothing was changed.`,
          )
        }
        return { status: 204 }
      },
    ),
  ]
}

/** Maximum number of applications, and of bots, whose IDs an error names. */
const namedMax = 10

function named(what: string, ids: readonly string[]): string {
  if (ids.length === 0) return ''
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : ''
  return `the ${what}${ids.length === 1 ? '' : 's'} ${ids.slice(0, namedMax).join(', ')}${more}`
}
