import type { FastifyRequest } from 'fastify'
import type { BrowserInfo } from '../domain/accounts/accounts.ts'
import { type Language, languages, sourceLanguage } from '../domain/language.ts'
import { clientAddressOf } from './client-address.ts'

/** Returns the user agent to store with the session, the address for rate limits, and the language for emails. */
export function browserInfo(request: FastifyRequest): BrowserInfo {
  const address = clientAddressOf(request)
  return { userAgent: request.headers['user-agent'], address, language: languageOf(request) }
}

/** Name of the cookie with the chosen language. All surfaces on a host share it, and it contains no secret. */
export const languageCookie = 'gatehouse-language'

/**
 * Returns the language that the user chose, or else the first supported language that the browser prefers (RFC 9110,
 * section 12.5.4).
 */
export function languageOf({ cookies, headers }: Pick<FastifyRequest, 'cookies' | 'headers'>): Language {
  const chosen = languages.find((language) => language === cookies[languageCookie])
  return chosen ?? preferredIn(headers['accept-language'] ?? '') ?? sourceLanguage
}

function preferredIn(header: string): Language | undefined {
  const ranges = header.split(',').map((range) => {
    const [tag = '', ...parameters] = range.split(';')
    const quality = parameters.map((parameter) => /^\s*q=(.*)$/.exec(parameter)?.[1]).find((q) => q !== undefined)
    return { tag: tag.trim().toLowerCase(), quality: quality === undefined ? 1 : Number(quality) }
  })
  const wanted = ranges.filter(({ quality }) => quality > 0).sort((one, other) => other.quality - one.quality)
  for (const { tag } of wanted) {
    const supported =
      languages.find((language) => language.toLowerCase() === tag) ??
      languages.find((language) => language === tag.split('-', 1)[0])
    if (supported !== undefined) return supported
  }
  return undefined
}
