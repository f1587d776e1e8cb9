import { oauthParameterMaxCharacters } from '../domain/limits/limits.ts'
import { Type } from '../http/json-schema.ts'

/** Returns the schema for a text parameter in an OAuth request. `readOAuthParameters` enforces the length limit. */
export function oauthText(description?: string) {
  return Type.String({
    maxLength: oauthParameterMaxCharacters,
    ...(description === undefined ? {} : { description }),
  })
}
