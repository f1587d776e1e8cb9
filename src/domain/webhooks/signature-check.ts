import { createHmac, createPublicKey, verify } from 'node:crypto'
import type { SignatureEncoding } from '../bots/flows/signature-setting.ts'
import { signaturesTriedMax, signatureToleranceMs } from '../limits/limits.ts'
import { sameDigest } from '../secret.ts'
import { type RequestHeaders, singleHeader } from './request-headers.ts'
import type { SignatureScheme } from './signature-scheme.ts'

/** A received request, unmodified: the signature covers these exact bytes. */
export interface SignedRequest {
  headers: RequestHeaders
  body: Uint8Array
}

/**
 * Returns whether the request has a valid signature over its body and, if the scheme signs a timestamp, over a
 * timestamp that is within five minutes of our clock. Compares HMACs in constant time.
 *
 * @param key the shared secret, or the Ed25519 public key in hexadecimal.
 */
export function isSigned(scheme: SignatureScheme, key: string, request: SignedRequest, nowMs: number): boolean {
  const text = singleHeader(request.headers, scheme.header)
  if (text === undefined) return false
  const timestamp = timestampOf(scheme, text, request.headers)
  if (timestamp === undefined || !(timestamp === '' || isRecent(timestamp, nowMs))) return false
  const before = scheme.before.replace('{timestamp}', timestamp)
  const signatures = signaturesIn(scheme, text).flatMap((encoded) => decode(encoded, scheme.encoding) ?? [])
  if (scheme.method === 'ed25519') {
    const publicKey = ed25519Key(key)
    const signed = Buffer.concat([Buffer.from(before), request.body])
    return signatures.some((signature) => verify(null, signed, publicKey, signature))
  }
  const expected = createHmac(scheme.method, key).update(before).update(request.body).digest()
  return signatures.some((signature) => sameDigest(expected, signature))
}

/**
 * Returns '' if the scheme doesn't sign a timestamp, and `undefined` if the request has no timestamp or more than one.
 */
function timestampOf({ timestamp }: SignatureScheme, text: string, headers: RequestHeaders): string | undefined {
  if (timestamp === undefined) return ''
  if ('header' in timestamp) return singleHeader(headers, timestamp.header)
  const [one, other] = elements(text, timestamp.element)
  return other === undefined ? one : undefined
}

function isRecent(timestamp: string, nowMs: number): boolean {
  return /^[0-9]{1,12}$/.test(timestamp) && Math.abs(nowMs - Number(timestamp) * 1_000) <= signatureToleranceMs
}

/**
 * Returns all signatures in the header. While a sender rotates its secret, it signs with both the old and the new one.
 */
function signaturesIn({ signature }: SignatureScheme, text: string): string[] {
  if ('element' in signature) return elements(text, signature.element).slice(0, signaturesTriedMax)
  return text.startsWith(signature.prefix) ? [text.slice(signature.prefix.length)] : []
}

function elements(list: string, name: string): string[] {
  return list.split(',').flatMap((element) => {
    const trimmed = element.trim()
    return trimmed.startsWith(`${name}=`) ? [trimmed.slice(name.length + 1)] : []
  })
}

/** Returns `undefined` if the text is malformed. Node would silently decode only part of it. */
function decode(encoded: string, encoding: SignatureEncoding): Buffer | undefined {
  const whole = encoding === 'hex' ? /^(?:[0-9a-fA-F]{2})+$/ : /^[A-Za-z0-9+/]+={0,2}$/
  return whole.test(encoded) ? Buffer.from(encoded, encoding) : undefined
}

function ed25519Key(hex: string) {
  const x = Buffer.from(hex, 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}
