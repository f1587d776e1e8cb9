import { createHmac, createPublicKey, verify } from 'node:crypto'
import type { SignatureEncoding } from '../bots/flows/signature-setting.ts'
import * as limits from '../limits/limits.ts'
import { sameDigest } from '../secret.ts'
import { type RequestHeaders, singleHeader } from './request-headers.ts'
import type { SignatureScheme } from './signature-scheme.ts'

/** A received request, unmodified, because the signature covers these exact bytes. */
export interface SignedRequest {
  headers: RequestHeaders
  body: Uint8Array
}

export type SignatureFault = 'signature-missing' | 'timestamp-stale' | 'signature-mismatch'

/**
 * Returns why the request's signature is invalid, or `undefined` if it is valid. A valid signature covers the body and,
 * if the scheme signs a timestamp, a timestamp within five minutes of the service's clock. Compares HMACs in constant
 * time.
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
  if (text === undefined) return 'signature-missing'
  const timestamp = timestampOf(scheme, text, request.headers)
  if (timestamp === undefined) return 'signature-mismatch'
  if (timestamp !== '' && !isRecent(timestamp, nowMs)) return 'timestamp-stale'
  return matches(scheme, key, { text, timestamp, body: request.body }) ? undefined : 'signature-mismatch'
}

function matches(
  scheme: SignatureScheme,
  key: string,
  { text, timestamp, body }: { text: string; timestamp: string; body: Uint8Array },
): boolean {
  const before = scheme.before.replace('{timestamp}', timestamp)
  const signatures = signaturesIn(scheme, text).flatMap((encoded) => decode(encoded, scheme.encoding) ?? [])
  if (scheme.method === 'ed25519') {
    const publicKey = ed25519Key(key)
    const signed = Buffer.concat([Buffer.from(before), body])
    return signatures.some((signature) => verify(null, signed, publicKey, signature))
  }
  const expected = createHmac(scheme.method, key).update(before).update(body).digest()
  return signatures.some((signature) => sameDigest(expected, signature))
}

/**
 * Returns the headers with which a sender signs this body.
 *
 * @param scheme any scheme except Ed25519, whose private key only the sender has.
 */
export function signedHeaders(scheme: SignatureScheme, key: string, body: Uint8Array, nowMs: number): RequestHeaders {
  const { header, signature, timestamp, before, method, encoding } = scheme
  const seconds = String(Math.floor(nowMs / 1_000))
  const digest = createHmac(method, key).update(before.replace('{timestamp}', seconds)).update(body).digest(encoding)
  const signed = 'element' in signature ? `${signature.element}=${digest}` : `${signature.prefix}${digest}`
  if (timestamp === undefined) return { [header]: signed }
  if ('header' in timestamp) return { [header]: signed, [timestamp.header]: seconds }
  return { [header]: `${timestamp.element}=${seconds},${signed}` }
}

/**
 * Returns the signed timestamp. Returns '' if the scheme doesn't sign one, and `undefined` if the request contains no
 * timestamp or several.
 */
function timestampOf({ timestamp }: SignatureScheme, text: string, headers: RequestHeaders): string | undefined {
  if (timestamp === undefined) return ''
  if ('header' in timestamp) return singleHeader(headers, timestamp.header)
  const [one, other] = elements(text, timestamp.element)
  return other === undefined ? one : undefined
}

function isRecent(timestamp: string, nowMs: number): boolean {
  return /^[0-9]{1,12}$/.test(timestamp) && Math.abs(nowMs - Number(timestamp) * 1_000) <= limits.signatureToleranceMs
}

/**
 * Returns the signatures in the header. A sender that is rotating its secret signs with both the old and the new
 * secret.
 */
function signaturesIn({ signature }: SignatureScheme, text: string): string[] {
  if ('element' in signature) return elements(text, signature.element).slice(0, limits.signaturesTriedMax)
  return text.startsWith(signature.prefix) ? [text.slice(signature.prefix.length)] : []
}

function elements(list: string, name: string): string[] {
  return list.split(',').flatMap((element) => {
    const trimmed = element.trim()
    return trimmed.startsWith(`${name}=`) ? [trimmed.slice(name.length + 1)] : []
  })
}

/** Decodes a signature. Returns `undefined` if the text is malformed: Node would silently decode only part of it. */
function decode(encoded: string, encoding: SignatureEncoding): Buffer | undefined {
  const whole = encoding === 'hex' ? /^(?:[0-9a-fA-F]{2})+$/ : /^[A-Za-z0-9+/]+={0,2}$/
  return whole.test(encoded) ? Buffer.from(encoded, encoding) : undefined
}

function ed25519Key(hex: string) {
  const x = Buffer.from(hex, 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}
