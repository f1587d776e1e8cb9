import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { parse } from 'node:querystring'
import type { Duplex } from 'node:stream'
import fastifyCookie from '@fastify/cookie'
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify'
import * as limits from '../domain/limits/limits.ts'
import type { SenderTimeouts } from './listen.ts'
import { endAfterResponses, jsonResponse, type RawResponse, writeResponse } from './raw-exchange.ts'
import type { RawRoutes } from './raw-routes.ts'
import { countArrivingBodies, limitedParameters } from './request-body.ts'
import { type AccessLog, RequestLog, type ResponseCounts } from './request-metrics.ts'
import { type TrustProxy, targetPath } from './request-origin.ts'
import type { Turns } from './turns.ts'

interface AppOptions {
  log: FastifyBaseLogger
  counts: ResponseCounts
  access: AccessLog | undefined
  trust: TrustProxy
  timeouts: SenderTimeouts
  turns: Turns
  /** Maximum size of the request line and the headers together. */
  headersMaxBytes?: number
  /** While `closing`, responses close their connections, although the app still accepts new ones. */
  health: { readonly closing: boolean }
  /** Returns the response to input that can't be parsed. `undefined`, or a missing function: JSON like that of the OAuth endpoints. */
  malformed?: (error: MalformedRequest) => RawResponse | undefined
  rawRoutes?: readonly Pick<RawRoutes, 'handle'>[]
}

/** Adds a surface's routes to an app. A surface with its own hooks, parsers or error handlers is a plugin instead. */
export type Mount = (app: FastifyInstance) => void

export async function newApp(options: AppOptions): Promise<FastifyInstance> {
  const { log, counts, access, trust, timeouts, turns, headersMaxBytes, health, rawRoutes = [] } = options
  let closed = false
  const closing = () => closed || health.closing
  const respondTo = (error: MalformedRequest) => options.malformed?.(error) ?? malformedJson(error)
  const rejected = rejectInvalid(respondTo)
  const newServer = (framework: RequestListener) => {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      if (closing()) response.shouldKeepAlive = false
      const received = { request, response, path: targetPath(request), ending: closing }
      if (!rawRoutes.some((routes) => routes.handle(received))) framework(request, response)
    }
    const limited = { ...timeouts, maxHeaderSize: headersMaxBytes, requireHostHeader: false }
    return createServer(limited, (request, response) => {
      turns.readInTurn(request)
      if (!rejected(request, response)) turns.take(request, () => handle(request, response), response)
    })
  }
  const app = fastify({
    loggerInstance: log,
    logController: new RequestLog(counts, access),
    // A logger per request would take a tenth of its time on the hot path, and add nothing to the log.
    childLoggerFactory: (logger) => logger,
    trustProxy: trust,
    bodyLimit: limits.requestBodyMaxBytes,
    // A connection that a browser opened in advance may send its first request only now.
    return503OnClosing: false,
    clientErrorHandler: refuseMalformed(respondTo, { detached: true }),
    forceCloseConnections: 'idle',
    serverFactory: (framework) => newServer(framework as RequestListener),
    // `parse` ignores parameters beyond 1,000, before a hook refuses them.
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200, querystringParser: parse },
    // Replaces a path that is malformed or too long by one without a route, so that the surface sends its own 404.
    frameworkErrors: (_error, { raw }, reply) => {
      raw.url = pathWithoutRoute
      app.routing(raw, reply.raw)
    },
  })
  app.addHook('preClose', (done) => {
    closed = true
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    // A kept-alive connection would delay closing, so responses in flight close their connections.
    if (closing()) reply.header('connection', 'close')
    // Responses are not cached by default, because even redirects can contain codes and set session cookies.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    done(null, payload)
  })
  countArrivingBodies(app)
  await app.register(fastifyCookie)
  // After the cookies, which the error page's language comes from.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    limitedParameters(raw.url ?? '')
    done()
  })
  return app
}

const pathWithoutRoute = '/nothing'

/** The headers by which browsers announce a prefetch; `X-Purpose: preview` is Safari's. */
const purposes = ['sec-purpose', 'purpose', 'x-moz', 'x-purpose'] as const

/**
 * Rejects prefetches of pages. The user has not opened the page yet, and opening a page can issue a code, redeem one, or
 * take a message that is shown once. Browsers drop the response and request the page again when the user opens it.
 */
export function rejectPrefetches(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }, reply) => {
    if (purposes.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')))) {
      return reply.code(425).send()
    }
  })
}

/** Connections whose first request was HTTP, and connections that end with the response to a rejected request. */
const connections = new WeakMap<Socket, 'http' | 'ending'>()

/**
 * Returns a function that rejects requests that Node's parser accepts although they aren't valid HTTP/1.0 or 1.1, and
 * returns whether it did. The connection ends with the response; requests that follow on it are dropped. Servers need
 * `requireHostHeader: false`: Node's own check doesn't stop such requests.
 */
export function rejectInvalid(rejection: (error: MalformedRequest) => RawResponse) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (connections.get(request.socket) === 'ending') return true
    if (areTooMany(request, response)) {
      connections.set(request.socket, 'ending')
      request.socket.destroy()
      return true
    }
    if (isValid(request)) return false
    connections.set(request.socket, 'ending')
    const error = Object.assign(new Error('invalid request'), { rawPacket: packetOf(request) })
    writeResponse(response, rejection(error), { last: true, bodyMaxBytes: 0 })
    return true
  }
}

/** The number of requests on a connection that wait for the responses to earlier ones. */
const pipelined = new WeakMap<Socket, number>()

/** When a connection closes, Node takes quadratic time to abort its requests: 17 seconds for 100,000, and about 30 ms for the limit. */
function areTooMany({ socket }: IncomingMessage, response: ServerResponse): boolean {
  // The first response that is due has the socket.
  if (response.socket !== null) return false
  const waiting = (pipelined.get(socket) ?? 0) + 1
  pipelined.set(socket, waiting)
  response.once('finish', () => pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1))
  return waiting > limits.pipelinedRequestsMax
}

/**
 * Checks what Node's parser leaves open: it also accepts other versions and protocols, any transfer coding that ends
 * with `chunked`, and several `Host` headers (RFC 9112, sections 2.3, 3.2 and 6.1).
 */
export function isValid(request: IncomingMessage): boolean {
  const { httpVersion, headers, rawHeaders, socket } = request
  const isCurrent = httpVersion === '1.1'
  if (!isCurrent && httpVersion !== '1.0') return false
  // Looking at the bytes takes a fifth of the time that Node takes for a request, so not every request is checked.
  if (!isCurrent || !connections.has(socket)) {
    if (isOtherProtocol(request)) return false
    connections.set(socket, 'http')
  }
  const coding = headers['transfer-encoding']
  if (coding !== undefined && !(isCurrent && coding.toLowerCase() === 'chunked')) return false
  const hosts = hostsIn(rawHeaders)
  return hosts === 1 || (hosts === 0 && !isCurrent)
}

function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts
}

/** The other protocols that Node's parser accepts. */
const otherProtocols = ['RTSP/', 'ICE/']

/** Returns whether the request line names one of them. Node doesn't report it. */
function isOtherProtocol(request: IncomingMessage): boolean {
  const { method = '', url = '' } = request
  const text = packetOf(request)?.toString('latin1') ?? ''
  const target = ` ${url}`
  return otherProtocols.some((protocol) => {
    for (let at = text.indexOf(protocol); at >= 0; at = text.indexOf(protocol, at + 1)) {
      const start = text.slice(0, at).trimEnd()
      if (start.endsWith(target) && start.slice(0, -url.length).trimEnd().endsWith(method)) return true
    }
    return false
  })
}

/** Returns the bytes being parsed, from an internal method. If a head arrived in parts, its beginning is missing. */
function packetOf({ socket }: IncomingMessage): Buffer | undefined {
  const { parser } = socket as Socket & { parser?: { getCurrentBuffer?(): Buffer | undefined } }
  return parser?.getCurrentBuffer?.()
}

/** An error of Node's parser, or a timeout. */
export interface MalformedRequest extends NodeJS.ErrnoException {
  /** The chunk at which the parser failed: a `Buffer`, which Fastify's types don't say. */
  rawPacket?: unknown
}

/** Connections that are closing after malformed input. */
const refused = new WeakSet<Duplex>()

/** Returns a `clientError` listener, for unparsable or late input. For `detached`, see `endAfterResponses`. */
export function refuseMalformed(
  respond: (error: MalformedRequest) => RawResponse,
  options: { detached?: boolean } = {},
) {
  return (error: MalformedRequest, socket: Duplex): void => {
    // The parser reports further input as another error, but the response is sent only once.
    if (refused.has(socket)) return
    refused.add(socket)
    endAfterResponses(socket, respond(error), options)
  }
}

/** Returns the status of the response to malformed input, and what happened, for programs. */
export function malformedDetail({ code }: MalformedRequest): { status: number; detail: string } {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, detail: 'The request did not arrive in time. Send it again.' }
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, detail: 'The URL and the headers are too large.' }
    default:
      return { status: 400, detail: 'The request is not valid HTTP/1.1.' }
  }
}

/** Has the format of the OAuth endpoints, because their clients are most of the programs. */
function malformedJson(error: MalformedRequest): RawResponse {
  const { status, detail } = malformedDetail(error)
  const body = JSON.stringify({ error: 'invalid_request', error_description: detail })
  return jsonResponse(status, body, ['Cache-Control', 'no-store', 'Pragma', 'no-cache'])
}
