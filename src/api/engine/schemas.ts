import { hostingLocations } from '../../domain/bots/bot.ts'
import type { ChatPlatformId, FlowId, UserId } from '../../domain/ids-and-secrets.ts'
import { isoTimeMs } from '../../domain/iso-time.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type Schema, Type } from '../../http/json-schema.ts'
import { invalidBody } from './problem.ts'

/** Members of several records, with descriptions for the OpenAPI document and, after “Expected:”, for problems. */

export const idText = 'an ID of 1 to 64 letters, digits, hyphens and underscores'
export const botIdText = `${idText}, but not 17 to 20 digits, the form of a chat-platform ID`

export const scopeText = 'a scope of 1 to 100 visible ASCII characters without comma, quote and backslash'

/** The pattern is that of the ID's parser. */
export const internalId = <Id extends UserId | FlowId>(whose: string) =>
  Type.String<Id>({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: `${whose}, ${idText}` })

export const chatPlatformId = Type.String<ChatPlatformId>({
  pattern: '^[0-9]{17,20}$',
  description: 'a chat-platform ID, 17 to 20 digits',
})

export function nullable<Described extends Schema>(schema: Described, description?: string) {
  const { description: own } = schema as { description?: string }
  const described = own === undefined ? 'null for none' : `${own}, or null for none`
  return Type.Union([schema, Type.Null()], description ?? described)
}

/** Returns the schema of a member that a change may omit to keep its value, or set to `null` to clear it. */
export function clearable<Value>(schema: Schema<Value>, description?: string) {
  return Type.Optional(nullable(schema, description))
}

/** Returns the value for a clearable member that has a default: `undefined` keeps the stored value. */
export function orDefault<Value>(sent: Value | null | undefined, byDefault: Value): Value | undefined {
  return sent === null ? byDefault : sent
}

export const hostingLocation = nullable(Type.Enum(hostingLocations), 'local, cloud, or null')

export function bodyOf<Members extends Readonly<Record<string, Schema>>>(
  title: string,
  members: Members,
  description?: string,
) {
  const { required } = Type.Object(members)
  const named = `a JSON object with ${required.join(', ').replace(/, (?=\w+$)/, ' and ')}`
  return Type.Object(members, { additionalProperties: false, title, description: description ?? named })
}

export const nameText = (maxCharacters: number) =>
  Type.String({
    minLength: 1,
    maxLength: limits.nameAsSentMaxCharacters,
    description: `name of 1 to ${maxCharacters} characters`,
  })

export const nullableTime = (description: string) => nullable(Type.String({ format: 'date-time' }), description)

export const timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** A time, described for when it is known, and for `null`. */
export const timeUnless = (description: string, otherwise: string) =>
  nullable(timestamp(description), `${description}; null ${otherwise}`)

export const isoTimePattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$'
export const isoTimeText = 'an ISO 8601 time with zone, such as 2026-01-05T12:00:00Z'
export const instant = (description: string) =>
  Type.String({ pattern: isoTimePattern, description: `${isoTimeText}; ${description}` })

/** Converts a time to milliseconds since the epoch. Throws Problem 400 if it doesn't exist, such as 30 February. */
export function instantOf(text: string, pointer: string): number {
  const atMs = isoTimeMs(text)
  if (Number.isNaN(atMs)) throw invalidBody([{ pointer, detail: 'This date or time does not exist.' }])
  return atMs
}

type TimeName<Name> = Name extends 'atMs'
  ? 'at'
  : Name extends `${infer Noun}${'At' | 'Until'}Ms`
    ? TimeAfter<Name, Noun>
    : Name
type TimeAfter<Name, Noun extends string> = Name extends `${Noun}AtMs` ? `${Noun}At` : `${Noun}Until`

/** A record with ISO times, such as `createdAt`, in place of times in milliseconds, such as `createdAtMs`. */
type InIsoTimes<Members> = {
  [Name in keyof Members as TimeName<Name>]: Name extends TimeName<Name>
    ? Members[Name]
    : Members[Name] extends number
      ? string
      : string | null
}

export function inIsoTimes<Members extends object>(record: Members): InIsoTimes<Members> {
  const members = Object.entries(record).map(([name, value]) => {
    if (!/(?:^at|At|Until)Ms$/.test(name)) return [name, value]
    return [name.slice(0, -'Ms'.length), typeof value === 'number' ? iso(value) : null]
  })
  return Object.fromEntries(members)
}

export function iso(ms: number): string {
  return new Date(ms).toISOString()
}

export function isoOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : iso(ms)
}
