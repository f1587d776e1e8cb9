import type { Schema, Static } from '../http/json-schema.ts'
import { Problem } from './problem.ts'
import { ajv } from './validate-body.ts'

type Parameters = Readonly<Record<string, Schema>>
type ValuesOf<Known extends Parameters> = { [Name in keyof Known]: Static<Known[Name]> | undefined }

/**
 * Parses the query parameters of a call. A parameter that wasn't sent gets its schema's default.
 *
 * @throws Problem 400 that names the first unknown or malformed parameter.
 */
export function readQuery<const Known extends Parameters>(
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
  // The pattern of date-time parameters also matches days that don't exist.
  const exists = schema.format !== 'date-time' || !Number.isNaN(Date.parse(String(value)))
  if (exists && ajv.validate(schema, value)) return value
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
