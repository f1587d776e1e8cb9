import { logLevels } from '../../domain/bots/runtimes/runtime-logs.ts'
import { presences } from '../../domain/bots/status/snapshots.ts'
import * as limits from '../../domain/limits/limits.ts'
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

/**
 * All formats exclude strings that can't be stored exactly: PostgreSQL rejects NUL, and UTF-8 can't encode an unpaired
 * surrogate.
 */
export const formats = {
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

export const shapes = {
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

export type Shapes = typeof shapes
export type RuntimeFrame = { [Name in keyof Shapes]: { type: Name } & Static<Shapes[Name]> }[keyof Shapes]
