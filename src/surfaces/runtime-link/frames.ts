import { Ajv } from 'ajv'
import { logLevels } from '../../domain/bots/runtimes/runtime-logs.ts'
import { presences } from '../../domain/bots/status/snapshots.ts'
import { cutText } from '../../domain/clean-text.ts'
import type { BotId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Delivery } from '../../domain/webhooks/delivery-queue.ts'
import { type Schema, type Static, Type } from '../../http/json-schema.ts'

/** The runtime link's wire format (docs/runtime-protocol.md): frames from the runtime, and close codes. */

export const subprotocol = 'gatehouse.runtime.v1'

export const closeCodes = {
  normal: 1000,
  fault: 1011,
  /** "Try again later" (IANA registry of WebSocket close codes). */
  overloaded: 1013,
  keyRefused: 4001,
  protocolError: 4002,
  replaced: 4003,
  silent: 4008,
  draining: 4012,
} as const

/** Sent with {@link closeCodes.draining}. */
export const drainReasons = {
  restarting: 'the service is restarting',
  databaseLost: 'this node had lost its database; reconnect to go on',
  botsChanged: 'the runtime’s bots were changed; reconnect to go on',
} as const

/** No format has what can't be stored: NUL (PostgreSQL), or an unpaired surrogate (UTF-8). */
const formats = {
  printable: (value: string) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(value),
  'one-line': (value: string) => !/[\p{Cc}\p{Cs}]/u.test(value),
  /** Stack traces have tabs and line breaks. */
  prose: (value: string) => !/[[\p{Cc}\p{Cs}]--[\t\n\r]]/v.test(value),
}

const text = (maxLength: number, format: keyof typeof formats, minLength = 0) =>
  Type.String({ minLength, maxLength, format })

const id = text(limits.idMaxCharacters, 'one-line')
const delivery = text(limits.deliveryNameMaxCharacters, 'one-line')
const deliveries = Type.Array(delivery, { maxItems: limits.runtimeDeliveriesPerFrame })
/** {@link readFrame} truncates longer texts, because they shouldn't end the session. */
const prose = text(limits.runtimeFrameMaxBytes, 'prose')
const orNull = <Described extends Schema>(schema: Described) => Type.Optional(Type.Union([schema, Type.Null()]))
const count = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const shapes = {
  ready: Type.Object({
    instance: text(limits.runtimeInstanceMaxCharacters, 'printable', 1),
    agent: text(limits.runtimeAgentMaxCharacters, 'printable', 1),
    credit: Type.Integer({ minimum: 0 }),
    bots: Type.Optional(Type.Array(id, { maxItems: limits.runtimeBotsPerReady })),
    working: Type.Optional(deliveries),
  }),
  ack: Type.Object({ deliveries }),
  nack: Type.Object({
    delivery,
    error: Type.Optional(prose),
    retryMs: Type.Optional(Type.Number({ minimum: 0, maximum: limits.eventAgeLimitMs })),
    dead: Type.Optional(Type.Boolean()),
  }),
  heartbeat: Type.Object({
    bots: Type.Array(
      Type.Object({
        botId: id,
        ready: Type.Boolean(),
        presence: orNull(Type.Union(presences.map((presence) => Type.Literal(presence)))),
        uptimeMs: orNull(count),
        guildCount: orNull(count),
        shardCount: orNull(count),
      }),
      { maxItems: limits.runtimeReportsPerHeartbeat },
    ),
    working: deliveries,
  }),
  credit: Type.Object({ n: Type.Integer({ minimum: 0 }) }),
  log: Type.Object({
    entries: Type.Array(
      Type.Object({
        botId: id,
        level: Type.Union(logLevels.map((level) => Type.Literal(level))),
        message: prose,
        at: text(limits.isoTimeMaxCharacters, 'one-line'),
      }),
      { maxItems: limits.runtimeLogEntriesPerFrame },
    ),
  }),
  bye: Type.Object({}),
}

type Shapes = typeof shapes
export type RuntimeFrame = { [Name in keyof Shapes]: { type: Name } & Static<Shapes[Name]> }[keyof Shapes]

const ajv = new Ajv({ formats, unicodeRegExp: true })

type FrameReading =
  | { kind: 'frame'; frame: RuntimeFrame }
  /** Ignored, so that runtimes can be newer than the service. */
  | { kind: 'foreign' }
  | { kind: 'malformed'; message: string }

/**
 * Ignores unknown members, and cuts error texts and log messages to their maximum length.
 * @param beforeReady whether the session expects `ready`. Other frames must then be small.
 */
export function readFrame(text: string, beforeReady: boolean): FrameReading {
  if (text.length > limits.runtimeEarlyFrameMaxCharacters) {
    // Both checks take far less time than parsing.
    if (beforeReady && !text.includes('"ready"')) {
      return { kind: 'malformed', message: 'a frame before "ready" is short' }
    }
    if (isNestedDeeper(text, limits.runtimeFrameMaxDepth)) {
      return {
        kind: 'malformed',
        message: `a frame has at most ${limits.runtimeFrameMaxDepth} levels of objects and lists`,
      }
    }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'malformed', message: 'a frame is one JSON object; this text is not JSON' }
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    return { kind: 'malformed', message: 'a frame is one JSON object whose "type" names it' }
  }
  const { type } = value
  if (!Object.hasOwn(shapes, type)) return { kind: 'foreign' }
  // Compiles a frame type's schema when the first frame of that type arrives.
  if (ajv.validate(shapes[type as keyof Shapes], value)) {
    return { kind: 'frame', frame: withCutTexts(value as unknown as RuntimeFrame) }
  }
  const [fault] = ajv.errors ?? []
  const message = fault?.keyword === 'format' ? 'must not have control characters' : fault?.message
  return { kind: 'malformed', message: `${type}${fault?.instancePath}: ${message}` }
}

export function isNestedDeeper(text: string, depthMax: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > depthMax) return true
  }
  return false
}

function withCutTexts(frame: RuntimeFrame): RuntimeFrame {
  if (frame.type === 'nack' && frame.error !== undefined) {
    return { ...frame, error: cutText(frame.error, limits.runtimeErrorMaxCharacters) }
  }
  if (frame.type !== 'log') return frame
  const entries = frame.entries.map((entry) => ({
    ...entry,
    message: cutText(entry.message, limits.logMessageMaxCharacters),
  }))
  return { ...frame, entries }
}

/**
 * Returns a function that takes the items of a list that fit into a frame, which has only short members besides the lists
 * that it is called with.
 */
function roomOfFrame(): <One>(list: readonly One[]) => readonly One[] {
  let bytes = limits.runtimeFrameMaxBytes - otherMembersMaxBytes
  return (list) => {
    const end = list.findIndex((one) => {
      bytes -= Buffer.byteLength(JSON.stringify(one)) + 1
      return bytes < 0
    })
    return end === -1 ? list : list.slice(0, end)
  }
}

const otherMembersMaxBytes = 256

/**
 * The welcome frame, then `bots` frames for the bots that don't fit. Rejected bots that don't fit are omitted, and lost
 * deliveries too: the answer to the runtime's first heartbeat lists them.
 */
export function welcomeFrames(welcome: {
  bots: readonly BotId[]
  refused: readonly { botId: string; reason: string }[]
  lost: readonly string[]
}): object[] {
  const fitting = roomOfFrame()
  const lost = fitting(welcome.lost)
  const bots = fitting(welcome.bots.slice(0, limits.botsPerRuntimeFrame))
  const refused = fitting(welcome.refused)
  const more = botsFrames({ add: welcome.bots.slice(bots.length), remove: [] })
  return [{ type: 'welcome', bots, refused, lost }, ...more]
}

export function botsFrames(change: { add: readonly BotId[]; remove: readonly BotId[] }): object[] {
  const [adds, removes] = [inFrames(change.add), inFrames(change.remove)]
  return Array.from({ length: Math.max(adds.length, removes.length) }, (_, n) => {
    return { type: 'bots', add: adds[n] ?? [], remove: removes[n] ?? [] }
  })
}

function inFrames<One>(list: readonly One[]): One[][] {
  return Array.from({ length: Math.ceil(list.length / limits.botsPerRuntimeFrame) }, (_, n) =>
    list.slice(n * limits.botsPerRuntimeFrame, (n + 1) * limits.botsPerRuntimeFrame),
  )
}

export function dispatchFrame(event: Delivery, traceparent: string | undefined): object {
  const { headers, body } = event
  return {
    type: 'dispatch',
    delivery: event.delivery,
    id: event.id,
    attempt: event.attempt,
    botId: event.botId,
    flowId: event.flowId,
    path: event.path,
    acceptedAt: event.acceptedAtMs,
    clientIp: event.clientIp,
    // JSON.stringify omits headers that the sender didn't send.
    headers: {
      'content-type': headers.contentType,
      'user-agent': headers.userAgent,
      'x-forwarded-for': headers.forwardedFor,
      'x-request-id': headers.requestId,
    },
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64'),
    replayOf: event.replayOf,
    test: event.test,
    traceparent,
  }
}

/** Lost deliveries that don't fit are omitted. The answer to the next heartbeat lists them. */
export function heartbeatFrame(now: number, lost: readonly string[]): object {
  return { type: 'heartbeat', now, lost: roomOfFrame()(lost) }
}
