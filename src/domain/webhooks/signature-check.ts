import { createPublicKey, hash, verify } from 'node:crypto'
import type { SignatureEncoding } from '../bots/flows/signature-setting.ts'
import { sameDigest } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { hmacOf, type SignatureScheme, signedText } from './signature-scheme.ts'

/** Keyed by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Unmodified, because the signature covers these exact bytes. */
export interface SignedRequest {
  headers: RequestHeaders
  body: Uint8Array
}

export type SignatureFault = 'signature-missing' | 'timestamp-stale' | 'signature-mismatch'

/**
 * Returns `undefined` if the signature is valid. It then covers the body and, if the scheme signs a timestamp, one
 * within five minutes of the service's clock. Compares HMACs and tokens in constant time.
 *
 * @param key the shared secret, or the Ed25519 public key in hexadecimal.
 */
export function signatureFault(
  scheme: SignatureScheme,
  key: string,
  request: SignedRequest,
  nowMs: number,
): SignatureFault | undefined {
  const text = singleHeader(request.headers, scheme.header)
  if (text === undefined) {
    return scheme.otherwise ? signatureFault(scheme.otherwise, key, request, nowMs) : 'signature-missing'
  }
  // Node decodes headers as Latin-1.
  if (scheme.method === 'token') return isSameToken(Buffer.from(text, 'latin1'), key) ? undefined : 'signature-mismatch'
  const timestamp = timestampOf(scheme, text, request.headers)
  const id = scheme.idHeader === undefined ? '' : singleHeader(request.headers, scheme.idHeader)
  if (timestamp === undefined || id === undefined) return 'signature-mismatch'
  const isTimed = (scheme.timestampHeader ?? scheme.timestampPart) !== undefined
  // Rejects an empty timestamp too: the signed one could then be sent as part of the body.
  if (isTimed && !isRecent(timestamp, nowMs)) return 'timestamp-stale'
  return matches(scheme, key, { text, timestamp, id, body: request.body }) ? undefined : 'signature-mismatch'
}

/** Repeated headers are joined with commas (RFC 9110 section 5.3). */
export function singleHeader(headers: RequestHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  return typeof value === 'object' ? value.join(', ') : value
}

/** Compares digests, so that the time doesn't depend on the length of the token either. */
function isSameToken(sent: Uint8Array, token: string): boolean {
  return sameDigest(hash('sha256', sent, 'buffer'), hash('sha256', token, 'buffer'))
}

function matches(
  scheme: SignatureScheme,
  key: string,
  { text, timestamp, id, body }: { text: string; timestamp: string; id: string; body: Uint8Array },
): boolean {
  const signed = signedText(scheme, { timestamp, id, body })
  if (scheme.method === 'ed25519') {
    const signature = decode(text, scheme.encoding)
    const whole = Buffer.concat(signed.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
    return signature !== undefined && verify(null, whole, ed25519Key(key), signature)
  }
  const expected = hmacOf(scheme, key, signed)
  const signatures = elements(text, scheme.prefix).flatMap((encoded) => decode(encoded, scheme.encoding) ?? [])
  return signatures.some((signature) => sameDigest(expected, signature))
}

/** Returns '' if the scheme signs no timestamp, and `undefined` if the request contains none or several. */
function timestampOf({ timestampHeader, timestampPart }: SignatureScheme, text: string, headers: RequestHeaders) {
  if (timestampHeader !== undefined) return singleHeader(headers, timestampHeader)
  if (timestampPart === undefined) return ''
  const [one, other] = elements(text, `${timestampPart}=`)
  return other === undefined ? one : undefined
}

function isRecent(timestamp: string, nowMs: number): boolean {
  return Math.abs(nowMs - timeOf(timestamp)) <= limits.signatureToleranceMs
}

/** Returns NaN if the text is neither seconds, milliseconds (13 digits) nor a date (RFC 3339). */
function timeOf(timestamp: string): number {
  if (/^[0-9]{1,13}$/.test(timestamp)) return Number(timestamp) * (timestamp.length === 13 ? 1 : 1_000)
  const isDate = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.test(timestamp)
  return isDate ? Date.parse(timestamp) : Number.NaN
}

/** Commas, semicolons or spaces separate the elements: a sender that rotates its secret signs with both. */
function elements(list: string, prefix: string): string[] {
  const separator = /[,;]/.test(prefix) ? /\s+/ : /[\s,;]+/
  return list.split(separator).flatMap((element) => (element.startsWith(prefix) ? element.slice(prefix.length) : []))
}

/** Returns `undefined` if the text is malformed: Node would decode only part of it. */
function decode(encoded: string, encoding: SignatureEncoding): Buffer | undefined {
  const whole = encoding === 'hex' ? /^(?:[0-9a-fA-F]{2})+$/ : /^[A-Za-z0-9+/]+={0,2}$/
  return whole.test(encoded) ? Buffer.from(encoded, encoding) : undefined
}

function ed25519Key(hex: string) {
  const x = Buffer.from(hex, 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}
