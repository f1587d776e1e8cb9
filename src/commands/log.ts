import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from '../config/config.ts'

/** Stands where something was kept out of the log. */
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

/** Everything that the service itself hands out as a secret starts with one of its prefixes (contract, section 2). */
const ownSecret = /svc_(?:ac|at|rt|cs|rk|fk|se|mt|pv)_[A-Za-z0-9_]+/g

/**
 * The process's log: JSON lines, on standard output unless told otherwise.
 *
 * No level lets a secret through, in three layers: requests and errors are written by serializers that know only
 * harmless members; members with a secret's name are hidden; and whatever still looks like one of our secrets in
 * the finished line is hidden too. Code that logs must not rely on them: the test that nothing secret is logged
 * also fails when one of the last two had to act.
 */
export function openLog(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { req: describeRequest, res: describeReply, err: describeError },
    redact: { paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`]), censor: hidden },
    hooks: { streamWrite: (line: string) => (line.includes('svc_') ? line.replace(ownSecret, hidden) : line) },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** A request by its route's pattern: the address itself may carry a code or a state. */
function describeRequest(request: { method?: string; routeOptions?: { url?: string } }) {
  return { method: request.method, route: request.routeOptions?.url }
}

function describeReply(reply: { statusCode?: number }) {
  return { status: reply.statusCode }
}

/** Of an error's own members only the codes: others (`input` of a URL that can't be parsed, say) repeat what was sent. */
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
