import { environments } from '../../../domain/applications/redirect-uri.ts'
import {
  applicationNameMaxCharacters,
  nameAsSentMaxCharacters,
  redirectUriMaxCharacters,
  redirectUrisPerApplication,
  websiteUrlMaxCharacters,
} from '../../../domain/limits/limits.ts'
import { Type } from '../../../http/json-schema.ts'
import type { Operation } from '../../../rest/operation.ts'
import { internalId, nullable, timestamp } from '../../../rest/schemas.ts'

const redirectUri = Type.String({ maxLength: redirectUriMaxCharacters, description: 'a redirect URI, matched exactly' })

const applicationBody = Type.Object(
  {
    ownerId: internalId('the user who owns it'),
    name: Type.String({
      minLength: 1,
      maxLength: nameAsSentMaxCharacters,
      description: `name of 1 to ${applicationNameMaxCharacters} characters`,
    }),
    websiteUrl: Type.String({ maxLength: websiteUrlMaxCharacters, description: 'an https:// URL' }),
    redirectUris: Type.Array(redirectUri, {
      minItems: 1,
      maxItems: redirectUrisPerApplication,
      description: `1 to ${redirectUrisPerApplication} redirect URIs`,
    }),
    environment: Type.Optional(
      nullable(
        Type.Enum(environments, { type: 'string' }),
        'production, or development, which allows http:// on the developer’s own machine; null for production',
      ),
    ),
    firstParty: Type.Optional(
      nullable(
        Type.Boolean(),
        'true if it belongs to the platform itself, which implies consent; else false. Becomes false when the owner changes name, website, redirect URIs or environment',
      ),
    ),
    verified: Type.Optional(
      nullable(
        Type.Boolean(),
        'true if you have verified its owner, which users see at consent; else false. Becomes false when the owner changes name, website, redirect URIs or environment',
      ),
    ),
    requirePkce: Type.Optional(
      nullable(Type.Boolean(), 'true if its authorization requests must have a PKCE code_challenge (S256); else false'),
    ),
  },
  {
    additionalProperties: false,
    title: 'ApplicationChange',
    description: 'a JSON object with an application’s members',
  },
)

const members = {
  id: Type.String(),
  clientId: Type.String(),
  ownerId: nullable(Type.String()),
  name: Type.String(),
  websiteUrl: Type.String(),
  redirectUris: Type.Array(Type.String()),
  environment: Type.Enum(environments, { type: 'string' }),
  firstParty: Type.Boolean(),
  verified: Type.Boolean(),
  requirePkce: Type.Boolean(),
  disabled: Type.Boolean({ description: 'true if its requests and tokens are rejected' }),
  clientSecretLastFour: nullable(Type.String()),
  createdAt: timestamp('when the application was registered'),
}
export const applicationRecord = Type.Object(members, { title: 'Application' })
const createdApplication = Type.Object(
  { ...members, clientSecret: Type.String({ description: 'the client secret, returned only once' }) },
  { title: 'CreatedApplication' },
)

export const putApplication = {
  method: 'put',
  path: '/v1/applications/{applicationId}',
  operationId: 'putApplication',
  summary: 'Register or change an application',
  body: applicationBody,
  responses: {
    200: { description: 'The updated application.', schema: applicationRecord },
    201: { description: 'The new application, with its client secret.', schema: createdApplication },
  },
} as const satisfies Operation

export const getApplication = {
  method: 'get',
  path: '/v1/applications/{applicationId}',
  operationId: 'getApplication',
  summary: 'Read an application',
  responses: { 200: { description: 'The application.', schema: applicationRecord } },
} as const satisfies Operation
