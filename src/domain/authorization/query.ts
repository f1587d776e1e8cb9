/** One value of a query parameter. */
export interface QueryValue {
  /** The value decoded as UTF-8. Invalid bytes are replaced. */
  text: string
  /** The value's exact bytes, percent-encoded. Safe to append to any URL. */
  encoded: string
}

/**
 * Parses a URL's query into parameters with all their values. Decodes them like form data: `+` is a space. Each value
 * is also kept as it was encoded, even with invalid UTF-8, because `state` must be returned unchanged.
 */
export function parseQuery(address: string): Map<string, QueryValue[]> {
  const parameters = new Map<string, QueryValue[]>()
  const from = address.indexOf('?')
  if (from === -1) return parameters
  for (const pair of address.slice(from + 1).split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals)).toString('utf8')
    const bytes = decode(equals === -1 ? '' : pair.slice(equals + 1))
    const values = parameters.get(name) ?? []
    values.push({ text: bytes.toString('utf8'), encoded: encode(bytes) })
    parameters.set(name, values)
  }
  return parameters
}

function decode(text: string): Buffer {
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return Buffer.from(bytes, 'latin1')
}

function encode(bytes: Buffer): string {
  let encoded = ''
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    encoded += /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

/** Appends encoded parameters to a redirect URI. Keeps the URI's registered query unchanged. */
export function withQuery(redirectUri: string, parameters: readonly (readonly [string, string])[]): string {
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return redirectUri + separator + parameters.map(([name, encoded]) => `${name}=${encoded}`).join('&')
}
