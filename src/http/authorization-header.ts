/** Returns the bearer credential of an `Authorization` header (RFC 6750 section 2.1), or `undefined`. */
export function clearTextBearer(header: string | undefined): string | undefined {
  return /^bearer +([^ ]+) *$/i.exec(header ?? '')?.[1]
}

/** Returns whether a request uses HTTP Basic authentication, well-formed or not. */
export function isBasic(header: string | undefined): header is string {
  return header !== undefined && /^basic(?: |$)/i.test(header)
}

/**
 * Returns the client credentials from an Authorization header (RFC 6749, section 2.3.1; RFC 7617). Returns `undefined`
 * if there is no client ID followed by a colon.
 */
export function readBasicCredentials(header: string): { clientId: string; clearTextSecret: string } | undefined {
  const decoded = decodeBasic(header)
  const colon = decoded.indexOf(':')
  if (colon < 1) return undefined
  return { clientId: formDecode(decoded.slice(0, colon)), clearTextSecret: formDecode(decoded.slice(colon + 1)) }
}

function decodeBasic(header: string): string {
  return Buffer.from(header.slice('basic '.length).trim(), 'base64').toString('utf8')
}

/**
 * Returns the password of HTTP Basic, whatever the user name is: as it was sent, and form-decoded if that differs,
 * because not all clients encode it. Returns nothing for other headers.
 */
export function clearTextBasicPasswords(header: string | undefined): string[] {
  if (!isBasic(header)) return []
  const [, password] = /^[^:]*:(.*)$/s.exec(decodeBasic(header)) ?? []
  return password === undefined ? [] : [...new Set([password, formDecode(password)])]
}

/**
 * Decodes a client ID or secret, which clients must form-encode (RFC 6749, section 2.3.1). Some clients don't, so text
 * that can't be decoded is returned unchanged.
 */
function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
