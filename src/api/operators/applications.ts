import type { PutApplication } from '../../domain/applications/provisioned-applications.ts'
import { environments } from '../../domain/applications/redirect-uri.ts'
import { type ApplicationId, asClientId, type UserId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { created, done, ok, replaced } from '../engine/api.ts'
import { ageCursors, createdSince, nameContains, shortPages } from '../engine/lists.ts'
import { found, noSuchRecord, Problem } from '../engine/problem.ts'
import { bodyOf, clearable, inIsoTimes, internalId, nameText, nullable, timestamp } from '../engine/schemas.ts'
import { api, type OperatorServices } from './api.ts'

const redirectUri = Type.String({
  maxLength: limits.redirectUriMaxCharacters,
  description: 'a redirect URI, matched exactly',
})

const change = bodyOf(
  'ApplicationChange',
  {
    ownerId: internalId<UserId>('the user who owns it'),
    name: nameText(limits.applicationNameMaxCharacters),
    websiteUrl: Type.String({ maxLength: limits.websiteUrlMaxCharacters, description: 'an https:// URL' }),
    redirectUris: Type.Array(redirectUri, {
      minItems: 1,
      maxItems: limits.redirectUrisPerApplication,
      description: `1 to ${limits.redirectUrisPerApplication} redirect URIs`,
    }),
    environment: clearable(
      Type.Enum(environments),
      'production, or development, which allows http:// on the developer’s own machine; null for production',
    ),
    firstParty: clearable(
      Type.Boolean(),
      'true if it belongs to the platform itself, which implies consent; else false. Becomes false when the owner changes name, website, redirect URIs or environment',
    ),
    verified: clearable(
      Type.Boolean(),
      'true if you have verified its owner, which users see at consent; else false. Becomes false when the owner changes name, website, redirect URIs or environment',
    ),
    requirePkce: clearable(
      Type.Boolean(),
      'true if its authorization requests must have a PKCE code_challenge (S256); else false',
    ),
  },
  'a JSON object with an application’s members',
)

const members = {
  id: Type.String(),
  clientId: Type.String(),
  ownerId: nullable(Type.String()),
  name: Type.String(),
  websiteUrl: Type.String(),
  redirectUris: Type.Array(Type.String()),
  environment: Type.Enum(environments),
  firstParty: Type.Boolean(),
  verified: Type.Boolean(),
  requirePkce: Type.Boolean(),
  disabled: Type.Boolean('true if its requests and tokens are rejected'),
  clientSecretLastFour: nullable(Type.String()),
  createdAt: timestamp('when the application was registered'),
}
const record = Type.Object(members, { title: 'Application' })
const withSecret = Type.Object(
  { ...members, clientSecret: Type.String('the client secret, returned only once') },
  { title: 'CreatedApplication' },
)

const one = '/applications/{applicationId}'

export function applicationRoutes(services: OperatorServices) {
  const { clients, provisioned } = services.applications
  const { tokens } = services.authorization

  /** Does the work, which ends or restores an application's access. Refuses the service's own portal. */
  async function act(id: ApplicationId, work: (id: ApplicationId) => Promise<unknown>) {
    const application = await clients.findById(id)
    if (application?.ownerId === null) throw ownPortal()
    return done(application === undefined ? Promise.resolve(false) : work(id), () => noSuchRecord(`application ${id}`))
  }

  return [
    api.put(
      one,
      'Register or change an application',
      {
        body: change,
        200: ['The updated application.', record],
        201: ['The new application, with its client secret.', withSecret],
      },
      async ({ applicationId: id, body }) => {
        const before = await clients.findById(id)
        if (before?.ownerId === null) throw ownPortal()
        const put = await provisioned.put(id, {
          ...body,
          environment: body.environment === null ? 'production' : body.environment,
          firstParty: body.firstParty === null ? false : body.firstParty,
          verified: body.verified === null ? false : body.verified,
          requirePkce: body.requirePkce === null ? false : body.requirePkce,
        })
        // Not read again: if that failed, the secret would be lost.
        const application = shown(put.application)
        if (put.outcome !== 'created') return replaced(put.outcome, application)
        return created({ ...application, clientSecret: put.clientSecret })
      },
    ),
    api.get(one, 'Read an application', { 200: ['The application.', record] }, async ({ applicationId }) =>
      ok(shown(found(await clients.findById(applicationId), `application ${applicationId}`))),
    ),
    api.list(
      '/applications',
      'List applications',
      {
        description: `Newest first, without deleted ones. ${shortPages}`,
        query: {
          ownerId: internalId<UserId>('the user who owns them'),
          clientId: Type.String({ maxLength: limits.idMaxCharacters, description: 'a client ID' }),
          nameContains,
          verified: Type.Boolean('true or false'),
          createdSince,
        },
        cursors: ageCursors,
        200: ['A page of applications.', record],
      },
      ({ query: { clientId: sent, createdSince: createdSinceMs, ...filter } }, page) => {
        const clientId = sent === undefined ? undefined : asClientId(sent)
        return provisioned.page({ ...filter, clientId, createdSinceMs }, page)
      },
      shown,
    ),
    api.delete(
      one,
      'Delete an application',
      {
        description:
          'Revokes its codes, tokens and client secrets on every node. The ID can’t be reused. Users’ consents are kept but hidden.',
        conflicts: true,
        204: 'Deleted.',
      },
      ({ applicationId }) => act(applicationId, (id) => provisioned.remove(id)),
    ),
    api.post(
      `${one}/disable`,
      'Disable an application',
      {
        description:
          'While it is disabled, its authorization requests, credentials, codes and tokens are rejected on every node, like those ' +
          'of an unknown application.',
        conflicts: true,
        204: 'Disabled.',
      },
      ({ applicationId }) => act(applicationId, (id) => provisioned.setDisabled(id, true)),
    ),
    api.post(
      `${one}/enable`,
      'Enable an application',
      {
        description: 'Tokens that have not expired in the meantime work again. To prevent this, revoke them first.',
        conflicts: true,
        204: 'Enabled.',
      },
      ({ applicationId }) => act(applicationId, (id) => provisioned.setDisabled(id, false)),
    ),
    api.post(
      `${one}/revoke-tokens`,
      'Revoke all tokens of an application',
      {
        description:
          'Also revokes codes that have not been redeemed. Consents are kept. Tokens are revoked one by one: if the call fails, ' +
          'repeat it. To prevent new tokens in the meantime, disable the application first.',
        conflicts: true,
        204: 'Revoked.',
      },
      ({ applicationId }) => act(applicationId, (id) => tokens.revokeAllOf(id)),
    ),
  ]
}

function shown({ secrets, ...application }: PutApplication) {
  return { ...inIsoTimes(application), clientSecretLastFour: secrets[0]?.lastFour ?? null }
}

function ownPortal(): Problem {
  return new Problem(409, 'This application is the service’s own developer portal. Choose another ID.')
}
