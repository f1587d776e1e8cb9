import {
  codeHostingIdMaxCharacters,
  emailMaxCharacters,
  nameAsSentMaxCharacters,
  passwordAsSentMaxCharacters,
  passwordMaxCharacters,
  passwordMinCharacters,
  personNameMaxCharacters,
  pinMaxDigits,
  pinMinDigits,
} from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import type { Operation } from '../../../rest/operation.ts'
import { chatPlatformId, nullable, timestamp } from '../../../rest/schemas.ts'

export const codeHostingId = Type.String({
  pattern: `^\\S{1,${codeHostingIdMaxCharacters}}$`,
  description: `ID of a code-hosting account, 1 to ${codeHostingIdMaxCharacters} characters without spaces`,
})

const userBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: nameAsSentMaxCharacters,
      description: `name of 1 to ${personNameMaxCharacters} characters`,
    }),
    email: Type.Optional(
      nullable(Type.String({ maxLength: emailMaxCharacters, description: 'email address that no other user has' })),
    ),
    password: Type.Optional(
      nullable(
        Type.String({
          maxLength: passwordAsSentMaxCharacters,
          description: `password of ${passwordMinCharacters} to ${passwordMaxCharacters} characters; a new one ends all sessions of the user`,
        }),
      ),
    ),
    pin: Type.Optional(
      nullable(
        Type.String({
          pattern: `^[0-9]{${pinMinDigits},${pinMaxDigits}}$`,
          description: `session PIN of ${pinMinDigits} to ${pinMaxDigits} digits`,
        }),
      ),
    ),
    chatPlatformId: Type.Optional(nullable(chatPlatformId)),
    codeHostingId: Type.Optional(nullable(codeHostingId)),
  },
  { additionalProperties: false, title: 'UserChange', description: 'a JSON object with a user’s members' },
)

export const userRecord = Type.Object(
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

export const putUser = {
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

export const postRecovery = {
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

export const getUser = {
  method: 'get',
  path: '/v1/users/{userId}',
  operationId: 'getUser',
  summary: 'Read a user',
  responses: { 200: { description: 'The user.', schema: userRecord } },
} as const satisfies Operation
