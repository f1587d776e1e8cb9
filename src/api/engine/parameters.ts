import * as ids from '../../domain/ids-and-secrets.ts'
import { isoTimeMs } from '../../domain/iso-time.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Schema, Static } from '../../http/json-schema.ts'
import { Problem } from './problem.ts'
import { botIdText, idText, scopeText } from './schemas.ts'
import { ajv } from './validate-body.ts'

/** Every path parameter: its type, and its description and maximum length in the OpenAPI document. */
export const pathParameters = {
  userId: idParameter(ids.parseUserId),
  applicationId: idParameter(ids.parseApplicationId),
  botId: idParameter(ids.parseBotId, botIdText),
  flowId: idParameter(ids.parseFlowId),
  runtimeId: idParameter(ids.parseRuntimeId),
  subscriptionId: idParameter(ids.parseSubscriptionId),
  keyNumber: {
    description: 'number of the key',
    maxLength: 15,
    /** Returns 0, which no key has, for a malformed number. */
    parse: (text: string): number => (/^[0-9]{1,15}$/.test(text) ? Number(text) : 0),
  },
  // These are looked up as they are. No record has a malformed one.
  id: { description: idText, maxLength: limits.idMaxCharacters, parse: asSent },
  scope: { description: scopeText, maxLength: 100, parse: asSent },
  eventId: {
    description: 'the event’s ID, from the list of deliveries',
    maxLength: limits.eventIdMaxCharacters,
    parse: asSent,
  },
}

type Known = typeof pathParameters
type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

export type ParametersIn<Path extends string> = {
  [Name in NamesIn<Path> & keyof Known]: ReturnType<Known[Name]['parse']>
}

/** Parses the parameters in a path. Throws Problem 400 for a malformed ID. */
export function parametersOf(sent: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, text]) => [name, pathParameters[name as keyof Known].parse(text, name)]),
  )
}

function idParameter<Id>(parse: (text: string) => Id | undefined, description = idText) {
  return {
    description,
    maxLength: limits.idMaxCharacters,
    parse(text: string, name: string): Id {
      const id = parse(text)
      if (id !== undefined) return id
      throw new Problem(400, `The ${name} in the URL is malformed. Expected: ${description}.`)
    },
  }
}

function asSent(text: string): string {
  return text
}

type KnownParameters = Readonly<Record<string, Schema>>
export type ValuesOf<Known extends KnownParameters> = { [Name in keyof Known]: Static<Known[Name]> | undefined }

/** Parses the query, with defaults. Throws Problem 400 that names the first unknown or malformed parameter. */
export function readQuery<const Known extends KnownParameters>(
  known: Known,
  sent: Readonly<Record<string, unknown>>,
): ValuesOf<Known> {
  const unknown = Object.keys(sent).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) {
    throw new Problem(400, `Unknown parameter ${unknown}. Known parameters: ${Object.keys(known).join(', ')}.`)
  }
  const values = Object.entries(known).map(([name, schema]) => [
    name,
    sent[name] === undefined ? schema.default : parsed(name, schema, sent[name]),
  ])
  return Object.fromEntries(values)
}

function parsed(name: string, schema: Schema, sent: unknown): unknown {
  const value = typeof sent === 'string' ? converted(schema, sent) : sent
  const ms = schema.format === 'date-time' ? isoTimeMs(String(value)) : undefined
  // The pattern of date-time parameters also matches days that don't exist.
  if (!Number.isNaN(ms) && ajv.validate(schema, value)) return ms ?? value
  throw malformedParameter(name, expected(schema))
}

/** @param expected what the parameter must be, as a phrase without a full stop. */
export function malformedParameter(name: string, expected: string): Problem {
  return new Problem(400, `The parameter ${name} is malformed. Expected: ${expected}.`)
}

/** Converts the text to the schema's type. Text of another form stays text, which doesn't match the schema. */
function converted({ type }: Schema, text: string): unknown {
  if (type === 'integer' && /^\d{1,16}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function expected({ type, minimum, maximum, description }: Schema): string {
  if (type !== 'integer') return description ?? `a ${type}`
  return `an integer from ${minimum} to ${maximum ?? Number.MAX_SAFE_INTEGER}`
}
