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
import { chatPlatformId, nullable, timestamp } from '../contract.ts'
import type { Operation } from '../operation.ts'

const codeHostingId = Type.String({
  pattern: `^\\S{1,${codeHostingIdMaxCharacters}}$`,
  description: `id of a code-hosting account, 1 to ${codeHostingIdMaxCharacters} characters without spaces`,
})

const userBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: nameAsSentMaxCharacters,
      description: `name of 1 to ${personNameMaxCharacters} characters`,
    }),
    email: Type.Optional(
      nullable(Type.String({ maxLength: emailMaxCharacters, description: 'e-mail address that no other user has' })),
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

const userRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    email: nullable(Type.String()),
    chatPlatformId: nullable(Type.String()),
    codeHostingId: nullable(Type.String()),
    hasPassword: Type.Boolean(),
    hasPin: Type.Boolean(),
    createdAt: timestamp('when the user was made'),
  },
  { title: 'User' },
)

export const putUser = {
  method: 'put',
  path: '/v1/users/{userId}',
  operationId: 'putUser',
  summary: 'Create or change a user',
  body: userBody,
  answers: {
    200: { description: 'The user, changed.', schema: userRecord },
    201: { description: 'The user, created.', schema: userRecord },
  },
} as const satisfies Operation

const recoveryLink = Type.Object(
  {
    url: Type.String({ description: 'the link to hand to the user; it works once' }),
    expiresAt: timestamp('until when it works'),
  },
  { title: 'RecoveryLink' },
)

export const postRecovery = {
  method: 'post',
  path: '/v1/users/{userId}/recovery',
  operationId: 'postRecovery',
  summary: 'Make a link for a user who is locked out',
  description:
    'With it the user sets a new password, which ends all their sessions, or with "pin" a new session PIN. ' +
    'It replaces a link for the same that was not used yet. Hand it over on a way that reaches this person only.',
  body: nullable(
    Type.Object(
      { pin: Type.Optional(Type.Boolean({ description: 'true for a new PIN, false or absent for a new password' })) },
      { additionalProperties: false, description: 'a JSON object, {} or {"pin": true}' },
    ),
    'a JSON object, {} or {"pin": true}, or nothing for a new password',
  ),
  answers: { 201: { description: 'The link, told this once.', schema: recoveryLink } },
} as const satisfies Operation

export const getUser = {
  method: 'get',
  path: '/v1/users/{userId}',
  operationId: 'getUser',
  summary: 'Read a user',
  answers: { 200: { description: 'The user.', schema: userRecord } },
} as const satisfies Operation
