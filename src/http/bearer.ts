/** Returns the bearer credential of an `Authorization` header (RFC 6750 section 2.1), or `undefined`. */
export function clearTextBearer(header: string | undefined): string | undefined {
  return /^bearer +([^ ]+) *$/i.exec(header ?? '')?.[1]
}
