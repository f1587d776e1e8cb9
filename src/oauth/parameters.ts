import { isUtf8 } from 'node:buffer'
import * as limits from '../domain/limits/limits.ts'
import { Type } from '../http/json-schema.ts'
import { BodyTooLarge, limitedParameters } from '../http/request-body.ts'
import type { OAuthRequest } from './oauth-endpoints.ts'
import { OAuthRefusal } from './responses.ts'

/** The parameters of an OAuth request, each a single non-empty string. */
export type OAuthParameters = ReadonlyMap<string, string>

/**
 * Reads the parameters named in `known` from a form or a JSON object, which behave alike. A parameter without a value
 * counts as not sent (RFC 6749, section 3.1). Unknown parameters are ignored, repeated ones rejected.
 *
 * @throws OAuthRefusal, BodyTooLarge
 */
export function readOAuthParameters({ headers, body }: OAuthRequest, known: readonly string[]): OAuthParameters {
  const contentType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  const isForm = contentType === 'application/x-www-form-urlencoded'
  if (!isForm && contentType !== 'application/json') throw new OAuthRefusal('content-type-unsupported')
  if (body.length === 0) throw new OAuthRefusal('body-empty')
  const members = isForm ? new URLSearchParams(limitedParameters(body.toString('utf8'))) : jsonMembers(body)

  const parameters = new Map<string, string>()
  const seen = new Set<string>()
  for (const [name, value] of members) {
    if (!known.includes(name)) continue
    if (seen.has(name)) throw new OAuthRefusal('parameter-repeated', { parameter: name })
    seen.add(name)
    if (typeof value !== 'string') throw new OAuthRefusal('parameter-not-a-string', { parameter: name })
    // JSON can contain an unpaired surrogate (`\ud800`), which UTF-8 can't encode.
    if (!value.isWellFormed()) throw new OAuthRefusal('body-malformed', { detail: `unpaired surrogate in ${name}` })
    if (value !== '') parameters.set(name, value)
  }
  return parameters
}

/** @throws OAuthRefusal `parameter-missing`, with the name of the first missing parameter. */
export function requireParameters(parameters: OAuthParameters, names: readonly string[]): void {
  const missing = names.find((name) => !parameters.has(name))
  if (missing !== undefined) throw new OAuthRefusal('parameter-missing', { parameter: missing })
}

/** Returns a JSON object's members in order, including repeated ones. */
function jsonMembers(body: Buffer): [string, unknown][] {
  if (!isUtf8(body)) throw new OAuthRefusal('body-malformed')
  const text = body.toString('utf8')
  let names: string[]
  let parsed: unknown
  try {
    names = memberNames(text)
    parsed = JSON.parse(text)
  } catch (error) {
    throw error instanceof BodyTooLarge ? error : new OAuthRefusal('body-malformed')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new OAuthRefusal('body-malformed')
  const values = new Map(Object.entries(parsed))
  return names.length === values.size ? [...values] : names.map((name): [string, unknown] => [name, values.get(name)])
}

/**
 * Returns a JSON object's member names, including repeated ones, which `JSON.parse` drops. The time is linear in the
 * text, even if it isn't valid JSON: a string without an end takes up the rest.
 *
 * @throws BodyTooLarge, SyntaxError
 */
function memberNames(text: string): string[] {
  const names: string[] = []
  // The object's brackets, and a name and a text for each parameter.
  let tokensLeft = 2 + 2 * limits.parametersMax
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*(?:"\s*:?)?|[{}[\]]/g)) {
    if (tokensLeft === 0) throw new BodyTooLarge()
    tokensLeft -= 1
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && token.endsWith(':')) names.push(JSON.parse(token.slice(0, -1)) as string)
  }
  return names
}

/** Returns the schema for a text parameter in an OAuth request. Only the limit of the whole body bounds its length. */
export function oauthText(description?: string, maxLength = limits.oauthBodyMaxBytes) {
  return Type.String({ maxLength, ...(description === undefined ? {} : { description }) })
}

/**
 * Prefix of the URI that identifies a pushed authorization request, followed by its attempt's ID (RFC 9126, section
 * 2.2).
 */
export const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:'
