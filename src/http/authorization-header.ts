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
  const decoded = Buffer.from(header.slice('basic '.length).trim(), 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 1) return undefined
  return { clientId: formDecode(decoded.slice(0, colon)), clearTextSecret: formDecode(decoded.slice(colon + 1)) }
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
