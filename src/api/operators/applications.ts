import { ApplicationRefusal, type Applications, type OwnedApplication } from '../../domain/applications/applications.ts'
import { environments } from '../../domain/applications/redirect-uri.ts'
import { type ApplicationId, asClientId, parseUserId } from '../../domain/ids.ts'
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
import { created, type Operation, ok, type Route, replaced, route } from '../engine/operation.ts'
import { applicationIdIn, readQuery } from '../engine/parameters.ts'
import { noSuchRecord, Problem } from '../engine/problem.ts'
import { internalId, nullable, timestamp } from '../engine/schemas.ts'

const redirectUri = Type.String({
  maxLength: limits.redirectUriMaxCharacters,
  description: 'a redirect URI, matched exactly',
})

const applicationBody = Type.Object(
  {
    ownerId: internalId('the user who owns it'),
    name: Type.String({
      minLength: 1,
      maxLength: limits.nameAsSentMaxCharacters,
      description: `name of 1 to ${limits.applicationNameMaxCharacters} characters`,
    }),
    websiteUrl: Type.String({ maxLength: limits.websiteUrlMaxCharacters, description: 'an https:// URL' }),
    redirectUris: Type.Array(redirectUri, {
      minItems: 1,
      maxItems: limits.redirectUrisPerApplication,
      description: `1 to ${limits.redirectUrisPerApplication} redirect URIs`,
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
const applicationRecord = Type.Object(members, { title: 'Application' })
const createdApplication = Type.Object(
  { ...members, clientSecret: Type.String({ description: 'the client secret, returned only once' }) },
  { title: 'CreatedApplication' },
)

const putApplication = {
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

const getApplication = {
  method: 'get',
  path: '/v1/applications/{applicationId}',
  operationId: 'getApplication',
  summary: 'Read an application',
  responses: { 200: { description: 'The application.', schema: applicationRecord } },
} as const satisfies Operation

export function applicationRoutes({
  applications,
}: {
  applications: Pick<Applications, 'clients' | 'provisioned'>
}): Route[] {
  async function stored(id: ApplicationId) {
    const application = await applications.clients.findById(id)
    if (application === undefined) throw noSuchRecord(`application ${id}`)
    return record(application)
  }

  return [
    route(putApplication, async ({ parameters, body }) => {
      const id = applicationIdIn(parameters)
      const ownerId = parseUserId(body.ownerId)
      if (ownerId === undefined) throw new ApplicationRefusal('owner-unknown')
      const before = await applications.clients.findById(id)
      if (before?.ownerId === null) throw ownPortal()
      const outcome = await applications.provisioned.put(id, {
        ...body,
        ownerId,
        environment: body.environment === null ? 'production' : body.environment,
        firstParty: body.firstParty === null ? false : body.firstParty,
        verified: body.verified === null ? false : body.verified,
        requirePkce: body.requirePkce === null ? false : body.requirePkce,
      })
      const application = await stored(id)
      if (outcome.outcome !== 'created') return replaced(outcome.outcome, application)
      return created({ ...application, clientSecret: outcome.clientSecret })
    }),
    route(getApplication, async ({ parameters }) => ok(await stored(applicationIdIn(parameters)))),
  ]
}

function record(application: OwnedApplication) {
  const { id, clientId, ownerId, name, websiteUrl, redirectUris, environment } = application
  return {
    id,
    clientId,
    ownerId,
    name,
    websiteUrl,
    redirectUris: [...redirectUris],
    environment,
    firstParty: application.firstParty,
    verified: application.verified,
    requirePkce: application.requirePkce,
    disabled: application.disabled,
    clientSecretLastFour: application.secrets[0]?.lastFour ?? null,
    createdAt: new Date(application.createdAtMs).toISOString(),
  }
}

const listApplications = {
  method: 'get',
  path: '/v1/applications',
  operationId: 'listApplications',
  summary: 'List applications',
  description: `Newest first, without deleted ones. ${shortPages}`,
  query: {
    ...pageParameters,
    ownerId: internalId('the user who owns them'),
    clientId: Type.String({ maxLength: limits.idMaxCharacters, description: 'a client ID' }),
    nameContains,
    verified: Type.Boolean({ description: 'true or false' }),
    createdSince,
  },
  responses: { 200: { description: 'A page of applications.', schema: listBody('Applications', applicationRecord) } },
} as const satisfies Operation

export function applicationListRoutes({ applications }: { applications: Pick<Applications, 'provisioned'> }): Route[] {
  return [
    route(listApplications, async ({ query }) => {
      const { limit, after, ownerId, clientId, createdSince, ...filter } = readQuery(listApplications.query, query)
      const page = await applications.provisioned.page(
        {
          ...filter,
          ownerId: parseUserId(ownerId ?? ''),
          clientId: clientId === undefined ? undefined : asClientId(clientId),
          createdSinceMs: msOf(createdSince),
        },
        pageRequest({ limit, after }, ageCursors),
      )
      return ok(listResponse(page, ageCursors, record))
    }),
  ]
}

/** Returns the error for calls that try to change the service's own application. */
export function ownPortal(): Problem {
  return new Problem(409, 'This application is the service’s own developer portal. Choose another ID.')
}
