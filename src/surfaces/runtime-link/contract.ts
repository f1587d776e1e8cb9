import { type Static, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { presences } from '../../domain/bots/gateway-snapshot.ts'
import { logLevels } from '../../domain/bots/runtime-log.ts'
import {
  eventAgeLimitMs,
  idMaxCharacters,
  runtimeAgentMaxCharacters,
  runtimeInstanceMaxCharacters,
} from '../../domain/limits.ts'

/** The wire of the runtime link (contract, section 6): what a runtime may send, and the words for its end. */

export const subprotocol = 'gatehouse.runtime.v1'

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

const deliveries = Type.Array(Type.String())
const orNull = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))
const count = Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const shapes = {
  ready: Type.Object({
    instance: Type.String({ minLength: 1, maxLength: runtimeInstanceMaxCharacters }),
    agent: Type.String({ maxLength: runtimeAgentMaxCharacters }),
    credit: Type.Integer({ minimum: 0 }),
    bots: Type.Optional(Type.Array(Type.String({ maxLength: idMaxCharacters }))),
    working: Type.Optional(deliveries),
  }),
  ack: Type.Object({ deliveries }),
  nack: Type.Object({
    delivery: Type.String(),
    error: Type.Optional(Type.String()),
    retryMs: Type.Optional(Type.Number({ minimum: 0, maximum: eventAgeLimitMs })),
    dead: Type.Optional(Type.Boolean()),
  }),
  heartbeat: Type.Object({
    bots: Type.Array(
      Type.Object({
        botId: Type.String(),
        ready: Type.Boolean(),
        presence: orNull(Type.Union(presences.map((presence) => Type.Literal(presence)))),
        uptimeMs: orNull(count),
        guildCount: orNull(count),
        shardCount: orNull(count),
      }),
    ),
    working: deliveries,
  }),
  credit: Type.Object({ n: Type.Integer({ minimum: 0 }) }),
  log: Type.Object({
    entries: Type.Array(
      Type.Object({
        botId: Type.String(),
        level: Type.Union(logLevels.map((level) => Type.Literal(level))),
        message: Type.String(),
        at: Type.String(),
      }),
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
  /** Of a type that is not ours: ignored, so that runtimes may be newer than the service. */
  | { kind: 'foreign' }
  | { kind: 'malformed'; message: string }

/** Reads one text frame. Unknown members are ignored. */
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
  const validator = Object.hasOwn(validators, type) ? validators[type] : undefined
  if (validator === undefined) return { kind: 'foreign' }
  const [fault] = validator.Check(value) ? [] : validator.Errors(value)
  if (fault === undefined) return { kind: 'frame', frame: value as unknown as RuntimeFrame }
  return { kind: 'malformed', message: `${type}${fault.instancePath}: ${fault.message}` }
}
