/** The beginning of a webhook's body, formatted for display on a page. */
export interface BodyPreview {
  /** Whether the body is shown as text or in hexadecimal. Depends on its bytes, not on the `Content-Type` header. */
  form: 'text' | 'hex'
  /** The preview: text, or bytes in hexadecimal, separated by spaces. */
  shown: string
  bytes: number
  cut: boolean
}

/**
 * Returns the beginning of a body. Shows it as text if it is UTF-8 without control characters other than tabs and line
 * breaks, otherwise in hexadecimal.
 *
 * @param mostBytes maximum number of bytes to examine and show.
 */
export function previewBody(body: Uint8Array, mostBytes: number): BodyPreview {
  const cut = body.length > mostBytes
  const start = body.subarray(0, mostBytes)
  const text = readable(start, cut)
  const shown = text ?? (Buffer.from(start).toString('hex').match(/../g) ?? []).join(' ')
  return { form: text === undefined ? 'hex' : 'text', shown, bytes: body.length, cut }
}

/**
 * Returns the bytes as text, or `undefined` if they aren't readable text.
 *
 * @param cut whether `bytes` is only the beginning of the body, so that the last character may be incomplete.
 */
function readable(bytes: Uint8Array, cut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut })
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
