import { Ajv } from 'ajv'
import { presences } from '../../domain/bots/flows/gateway-snapshot.ts'
import { logLevels } from '../../domain/bots/runtimes/runtime-log.ts'
import { cutText } from '../../domain/cut-text.ts'
import {
  deliveryNameMaxCharacters,
  eventAgeLimitMs,
  idMaxCharacters,
  isoTimeMaxCharacters,
  logMessageMaxCharacters,
  runtimeAgentMaxCharacters,
  runtimeBotsPerReady,
  runtimeDeliveriesPerFrame,
  runtimeErrorMaxCharacters,
  runtimeFrameMaxBytes,
  runtimeInstanceMaxCharacters,
  runtimeLogEntriesPerFrame,
  runtimeReportsPerHeartbeat,
} from '../../domain/limits/limits.ts'
import { type Schema, type Static, Type } from '../../http/json-schema.ts'

/** The wire of the runtime link (contract, section 6): what a runtime may send, and the words for its end. */

export const subprotocol = 'gatehouse.runtime.v1'

/** For sessions that receive copies of events ({@link CopySession}). */
export const copiesSubprotocol = 'gatehouse.copies.v1'

export const closeCodes = {
  normal: 1000,
  fault: 1011,
  /** Try again later (the registry of RFC 6455). */
  overloaded: 1013,
  keyRefused: 4001,
  protocolError: 4002,
  replaced: 4003,
  silent: 4008,
  draining: 4012,
} as const

/**
 * Which characters a text may have. All formats exclude what can't be stored exactly: PostgreSQL rejects NUL, and UTF-8
 * can't encode an unpaired surrogate.
 */
const formats = {
  printable: (value: string) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(value),
  'one-line': (value: string) => !/[\p{Cc}\p{Cs}]/u.test(value),
  /** Error texts and log messages may have tabs and line ends, as in a stack trace. */
  prose: (value: string) => !/[[\p{Cc}\p{Cs}]--[\t\n\r]]/v.test(value),
}

const text = (maxLength: number, format: keyof typeof formats, minLength = 0) =>
  Type.String({ minLength, maxLength, format })

const id = text(idMaxCharacters, 'one-line')
const delivery = text(deliveryNameMaxCharacters, 'one-line')
const deliveries = Type.Array(delivery, { maxItems: runtimeDeliveriesPerFrame })
/** Bounded only by the frame: {@link readFrame} cuts a long text, which shouldn't end the session. */
const prose = text(runtimeFrameMaxBytes, 'prose')
const orNull = <Described extends Schema>(schema: Described) => Type.Optional(Type.Union([schema, Type.Null()]))
const count = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const shapes = {
  ready: Type.Object({
    instance: text(runtimeInstanceMaxCharacters, 'printable', 1),
    agent: text(runtimeAgentMaxCharacters, 'printable', 1),
    credit: Type.Integer({ minimum: 0 }),
    bots: Type.Optional(Type.Array(id, { maxItems: runtimeBotsPerReady })),
    working: Type.Optional(deliveries),
  }),
  ack: Type.Object({ deliveries }),
  nack: Type.Object({
    delivery,
    error: Type.Optional(prose),
    retryMs: Type.Optional(Type.Number({ minimum: 0, maximum: eventAgeLimitMs })),
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
      { maxItems: runtimeReportsPerHeartbeat },
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
        at: text(isoTimeMaxCharacters, 'one-line'),
      }),
      { maxItems: runtimeLogEntriesPerFrame },
    ),
  }),
  bye: Type.Object({}),
}

type Shapes = typeof shapes
export type RuntimeFrame = { [Name in keyof Shapes]: { type: Name } & Static<Shapes[Name]> }[keyof Shapes]

const ajv = new Ajv({ formats, unicodeRegExp: true })

export type FrameReading =
  | { kind: 'frame'; frame: RuntimeFrame }
  /** Of a type that is not ours: ignored, so that runtimes may be newer than the service. */
  | { kind: 'foreign' }
  | { kind: 'malformed'; message: string }

/** Reads one text frame. Ignores unknown members, and cuts error texts and log messages to their maximum length. */
export function readFrame(text: string): FrameReading {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'malformed', message: 'a frame is one JSON object; this text is no JSON' }
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    return { kind: 'malformed', message: 'a frame is one JSON object whose "type" names it' }
  }
  const { type } = value
  if (!Object.hasOwn(shapes, type)) return { kind: 'foreign' }
  // Compiles each shape when its first frame arrives.
  if (ajv.validate(shapes[type as keyof Shapes], value)) {
    return { kind: 'frame', frame: withCutTexts(value as unknown as RuntimeFrame) }
  }
  const [fault] = ajv.errors ?? []
  const message = fault?.keyword === 'format' ? 'must not have control characters' : fault?.message
  return { kind: 'malformed', message: `${type}${fault?.instancePath}: ${message}` }
}

function withCutTexts(frame: RuntimeFrame): RuntimeFrame {
  if (frame.type === 'nack' && frame.error !== undefined) {
    return { ...frame, error: cutText(frame.error, runtimeErrorMaxCharacters) }
  }
  if (frame.type !== 'log') return frame
  const entries = frame.entries.map((entry) => ({ ...entry, message: cutText(entry.message, logMessageMaxCharacters) }))
  return { ...frame, entries }
}
