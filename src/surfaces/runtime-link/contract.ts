import { type Static, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
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

/** The wire format of the runtime link (contract, section 6): frames from the runtime, and close codes. */

export const subprotocol = 'gatehouse.runtime.v1'

export const closeCodes = {
  normal: 1000,
  fault: 1011,
  /** Try again later (IANA registry of WebSocket close codes). */
  overloaded: 1013,
  keyRefused: 4001,
  protocolError: 4002,
  replaced: 4003,
  silent: 4008,
  draining: 4012,
} as const

/**
 * Returns the schema of a text that can be stored exactly. PostgreSQL rejects NUL, and UTF-8 can't encode an unpaired
 * surrogate. `refused` covers these and other control characters.
 */
function text(maxLength: number, refused: RegExp, options: { minLength?: number } = {}) {
  const kept = (value: string) => !refused.test(value)
  return Type.Refine(Type.String({ maxLength, ...options }), kept, () => 'must not have control characters')
}

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u
const control = /[\p{Cc}\p{Cs}]/u
/** Allows tabs and line breaks, because error texts and log messages contain them, for example in stack traces. */
const controlInProse = /[[\p{Cc}\p{Cs}]--[\t\n\r]]/v

const id = text(idMaxCharacters, control)
const delivery = text(deliveryNameMaxCharacters, control)
const deliveries = Type.Array(delivery, { maxItems: runtimeDeliveriesPerFrame })
/** Limited only by the frame. {@link readFrame} cuts longer texts, which shouldn't end the session. */
const prose = text(runtimeFrameMaxBytes, controlInProse)
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const count = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const shapes = {
  ready: Type.Object({
    instance: text(runtimeInstanceMaxCharacters, unprintable, { minLength: 1 }),
    agent: text(runtimeAgentMaxCharacters, unprintable, { minLength: 1 }),
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
        at: text(isoTimeMaxCharacters, control),
      }),
      { maxItems: runtimeLogEntriesPerFrame },
    ),
  }),
  bye: Type.Object({}),
}

type Shapes = typeof shapes
export type RuntimeFrame = { [Name in keyof Shapes]: { type: Name } & Static<Shapes[Name]> }[keyof Shapes]

const validators: Record<string, Validator> = Object.fromEntries(
  Object.entries(shapes).map(([name, shape]) => [name, Compile(shape as TSchema)]),
)

export type FrameReading =
  | { kind: 'frame'; frame: RuntimeFrame }
  /** An unknown type. Ignored, so that runtimes can be newer than the service. */
  | { kind: 'foreign' }
  | { kind: 'malformed'; message: string }

/** Parses one text frame. Ignores unknown members, and cuts error texts and log messages to their maximum length. */
export function readFrame(text: string): FrameReading {
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
  const validator = Object.hasOwn(validators, type) ? validators[type] : undefined
  if (validator === undefined) return { kind: 'foreign' }
  const [fault] = validator.Check(value) ? [] : validator.Errors(value)
  if (fault === undefined) return { kind: 'frame', frame: withCutTexts(value as unknown as RuntimeFrame) }
  return { kind: 'malformed', message: `${type}${fault.instancePath}: ${fault.message}` }
}

function withCutTexts(frame: RuntimeFrame): RuntimeFrame {
  if (frame.type === 'nack' && frame.error !== undefined) {
    return { ...frame, error: cutText(frame.error, runtimeErrorMaxCharacters) }
  }
  if (frame.type !== 'log') return frame
  const entries = frame.entries.map((entry) => ({ ...entry, message: cutText(entry.message, logMessageMaxCharacters) }))
  return { ...frame, entries }
}
