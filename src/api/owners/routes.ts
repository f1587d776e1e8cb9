import type { FastifyPluginAsync } from 'fastify'
import * as limits from '../../domain/limits/limits.ts'
import type { ApiDescription } from '../engine/document.ts'
import { restApi } from '../engine/rest-api.ts'
import type { OwnerCaller, OwnerServices, RuntimeCaller } from './api.ts'
import { botRoutes } from './bots.ts'
import { type CopyStreamParts, CopyStreams, copyRoute } from './copy-streams.ts'
import { ownerDeliveryRoutes } from './deliveries.ts'
import { flowRoutes } from './flows.ts'
import { logList } from './logs.ts'
import { ownerRuntimeRoutes } from './runtimes.ts'
import { type TokenGuardParts, tokenGuard, tokenRoute } from './token-guard.ts'
import { problemOfRefusal } from './wire-errors.ts'

type OwnerApiServices = OwnerServices & TokenGuardParts & CopyStreamParts & { baseUrl: string }

/** The API for owners under `/api/v1`, for holders of a personal access token or a runtime key, and its description. */
export function ownerApiSurface(services: OwnerApiServices): FastifyPluginAsync {
  const copyStreams = new CopyStreams(services)
  const api = restApi<OwnerCaller | RuntimeCaller>({
    name: 'owner API',
    prefix: '/api/v1',
    documentPath: '/api/openapi.json',
    description: ownerApiDescription(services.baseUrl),
    routes: [
      tokenRoute,
      ...botRoutes(services),
      ...ownerDeliveryRoutes(services),
      copyRoute(copyStreams),
      ...flowRoutes(services),
      ...ownerRuntimeRoutes(services),
      logList(services),
    ],
    bodyMaxBytes: limits.requestBodyMaxBytes,
    ...tokenGuard(services),
    problemOf: problemOfRefusal,
  })
  return async (app) => {
    app.addHook('preClose', (done) => {
      copyStreams.close()
      done()
    })
    await app.register(api)
  }
}

function ownerApiDescription(baseUrl: string): ApiDescription {
  return {
    info: {
      title: 'Gatehouse API for owners',
      version: '1',
      description:
        'For bot owners and collaborators: deliveries, flows, keys, runtimes and logs. Each call needs a personal access ' +
        'token with the scope named there, and can do only what the token’s user can do. ' +
        'Lists are paginated: to get the next page, send the value of next as after.',
    },
    serverUrl: baseUrl,
    security: {
      personalToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'A personal access token. Create one on your account page.',
      },
      runtimeKey: { type: 'http', scheme: 'bearer', description: 'A runtime key. Create one on a bot’s page.' },
    },
    securityOf: ({ scope }) => (scope === 'runtime-key' ? { runtimeKey: [] } : { personalToken: scope ? [scope] : [] }),
    problems: {
      400: 'The path, query or body is invalid. Nothing was changed.',
      401: 'The token is missing, wrong, revoked or expired.',
      403: 'The token doesn’t have the scope, or your role doesn’t allow the call. Nothing was changed.',
      404: 'There is no such record, or you have no access to it.',
      409: 'The record’s state doesn’t allow the call. Nothing was changed.',
      429: 'Too many requests with this token, too many changes, or too many wrong tokens from this address. Retry-After says when to try again.',
      503: 'The queue is full or unavailable, or the service can’t use its database. Retry-After says when to try again.',
    },
    canHave: ({ method }, problemStatus) => problemStatus !== 409 || method !== 'get',
  }
}
