import { maxHeaderSize } from 'node:http'
import type { MalformedRequest } from '../http/malformed-requests.ts'
import type { RawResponse } from '../http/raw-exchange.ts'
import { languageCookie, languageOf } from '../http/request-origin.ts'
import { namesAttempt } from './attempt-pages.ts'
import { errorPage } from './error-page.ts'
import { rawPage } from './page.ts'
import type { Place } from './places.ts'
import { errorPageWords } from './words/error-page.ts'

/**
 * Returns the page for a browser whose request can't be parsed, or `undefined` for other clients. Most often, the
 * cookies of other programs on the same host exceed the limit for headers.
 */
export function malformedPage(place: Place, host: string): (error: MalformedRequest) => RawResponse | undefined {
  return ({ code, rawPacket }) => {
    const isTooLarge = code === 'HPE_HEADER_OVERFLOW'
    const { url, headers } = readHead(rawPacket instanceof Buffer ? rawPacket.toString('latin1') : '')
    // If the beginning or the end of the headers is in another chunk, they are probably a browser's cookies, or its URL.
    const isBrowser = headers === undefined ? isTooLarge : headers.accept?.includes('text/html')
    if (!isBrowser) return undefined
    const { cookiesTooLarge, urlTooLong, unreadable } = errorPageWords
    const isLongUrl = url !== undefined && url.length > maxHeaderSize / 2
    const words = isTooLarge ? (isLongUrl ? urlTooLong : cookiesTooLarge(host)) : unreadable
    const [, chosen] = new RegExp(`\\b${languageCookie}=(\\w+)`).exec(headers?.cookie ?? '') ?? []
    return rawPage(errorPage(words, { place }), {
      status: isTooLarge ? 431 : 400,
      language: languageOf({ cookies: { [languageCookie]: chosen }, headers: headers ?? {} }),
      isInAttempt: url === undefined || namesAttempt(url),
    })
  }
}

/** Reads as much as arrived, without headers if the chunk begins after the first line or ends in it. */
function readHead(text: string): { url: string | undefined; headers?: Record<string, string> } {
  const [first = '', ...lines] = text.split('\r\n')
  const [, url] = /^[A-Z]+ (\S+)(?: HTTP\/\d\.\d)?$/.exec(first) ?? []
  if (url === undefined || lines.length === 0) return { url }
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { url, headers: Object.fromEntries(headers) }
}
