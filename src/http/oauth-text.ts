import { Type } from 'typebox'
import { oauthParameterMaxCharacters } from '../domain/limits.ts'

/** A text parameter of an OAuth request, as described; `readOAuthParameters` enforces the bound. */
export function oauthText(description?: string) {
  return Type.String({
    maxLength: oauthParameterMaxCharacters,
    ...(description === undefined ? {} : { description }),
  })
}
