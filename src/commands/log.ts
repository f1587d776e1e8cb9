import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from '../config/config.ts'

export const hidden = '[hidden]'

const secretNames = [
  'authorization',
  'cookie',
  'password',
  'pin',
  'code_verifier',
  'state',
  'token',
  'access_token',
  'refresh_token',
  'client_secret',
  'form_token',
  'secret',
  'key',
  'svc-key',
  'secretKey',
  'operatorKey',
  'clearText',
  'body',
  'headers',
  'query',
]

/** Matches secrets issued by this service. Each starts with one of these prefixes. */
const ownSecret = /svc_(?:ac|at|rt|cs|rk|fk|ok|pat|se|mt|pv)_[A-Za-z0-9_]+|whsec_[A-Za-z0-9+/=]+/g

/**
 * Opens the process's log: JSON lines, by default on standard output. Three layers keep secrets out of it at every
 * level: serializers write only harmless properties of requests and errors, properties named like a secret are
 * redacted, and the finished line is searched for secrets that the service issued. Code that logs must not rely on the
 * last two: the test that no secret is logged also fails if one of them has hidden a secret.
 */
export function openLog(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { req: describeRequest, res: describeReply, err: describeError },
    redact: { paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`]), censor: hidden },
    hooks: { streamWrite: (line: string) => (/svc_|whsec_/.test(line) ? line.replace(ownSecret, hidden) : line) },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Logs a request by its route pattern, because its URL may contain a code or state. */
function describeRequest(request: { method?: string; routeOptions?: { url?: string } }) {
  return { method: request.method, route: request.routeOptions?.url }
}

function describeReply(reply: { statusCode?: number }) {
  return { status: reply.statusCode }
}

/** Returns what to log of an error: of its additional properties only codes, as others may repeat clients' input. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, errcode, reason, cause } = error as Error & Record<'code' | 'errcode' | 'reason' | 'cause', unknown>
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    code,
    errcode,
    reason,
    ...(cause instanceof Error && { cause: describeError(cause) }),
  }
}
