/** A body as a page shows it. */
export interface BodyPreview {
  /** Judged by the content, whatever its sender called it. */
  form: 'text' | 'hex'
  /** Text, or pairs of hexadecimal digits with a space between. */
  shown: string
  bytes: number
  /** There is more than is shown. */
  cut: boolean
}

/**
 * What a person can read of a body: text where it is UTF-8 without control characters, hexadecimal digits otherwise.
 *
 * @param mostBytes how much of it is looked at and shown.
 */
export function previewBody(body: Uint8Array, mostBytes: number): BodyPreview {
  const cut = body.length > mostBytes
  const start = body.subarray(0, mostBytes)
  const text = readable(start, cut)
  const shown = text ?? (Buffer.from(start).toString('hex').match(/../g) ?? []).join(' ')
  return { form: text === undefined ? 'hex' : 'text', shown, bytes: body.length, cut }
}

/** @param cut whether the last character may be incomplete. */
function readable(bytes: Uint8Array, cut: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut })
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
