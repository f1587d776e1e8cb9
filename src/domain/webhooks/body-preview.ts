export interface BodyPreview {
  form: 'text' | 'hex'
  /** Text, or bytes in hexadecimal, separated by spaces. */
  shown: string
  cut: boolean
}

/**
 * Shows the body as text if it is UTF-8 without control characters other than tabs and line breaks, whatever its
 * `Content-Type`.
 *
 * @param mostBytes maximum number of bytes to examine and show.
 */
export function previewBody(body: Uint8Array, mostBytes: number): BodyPreview {
  const cut = body.length > mostBytes
  const start = body.subarray(0, mostBytes)
  const text = readable(start, cut)
  const shown = text ?? (Buffer.from(start).toString('hex').match(/../g) ?? []).join(' ')
  return { form: text === undefined ? 'hex' : 'text', shown, cut }
}

/** @param cut whether this is only the beginning of the body, so that the last character may be incomplete. */
function readable(bytes: Uint8Array, cut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut })
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
