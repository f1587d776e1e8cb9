import * as limits from '../../limits/limits.ts'
import type { PreviousKeyPolicy } from '../overlapping-key.ts'
import type { BotFaultReason, Check, Parsed } from '../record-rules.ts'

/** `token` is for senders that send a fixed value, `hmac` for any other sender that sends an HMAC. */
export const signaturePresets = [
  'github',
  'stripe',
  'slack',
  'shopify',
  'discord',
  'standard-webhooks',
  'token',
  'hmac',
] as const
export type SignaturePreset = (typeof signaturePresets)[number]

export const signatureHashes = ['sha1', 'sha256', 'sha512'] as const
export type SignatureHash = (typeof signatureHashes)[number]

export const signatureEncodings = ['hex', 'base64'] as const
export type SignatureEncoding = (typeof signatureEncodings)[number]

/** The secret is stored separately. */
export type SignatureSetting =
  | { preset: 'github' | 'stripe' | 'slack' | 'shopify' | 'standard-webhooks' }
  /** 32 bytes in hexadecimal. */
  | { preset: 'discord'; publicKey: string }
  /** The header contains the secret itself. */
  | { preset: 'token'; header: string }
  | HmacSetting

/** The header contains one or several signatures: the prefix, followed by the encoded HMAC. */
interface HmacSetting {
  preset: 'hmac'
  header: string
  hash: SignatureHash
  encoding: SignatureEncoding
  prefix: string
  /** Text that the HMAC is made of, with `{body}` once, `{timestamp}` at most once, without `{id}`. Default: `{body}`. */
  signed?: string
  timestampHeader?: string
  /** Name of the timestamp in the header with the signature, as in `t=1700000000,v1=…`. */
  timestampPart?: string
}

/** A field that the preset doesn't use is a validation error. An omitted secret keeps the stored one. */
export type SignatureChange = {
  preset: string
  secretBefore?: PreviousKeyPolicy | undefined
} & { [Member in Exclude<keyof HmacSetting, 'preset'> | 'clearTextSecret' | 'publicKey']?: string | undefined }

const secretMembers = ['clearTextSecret', 'secretBefore'] as const

const membersOf: Record<SignaturePreset, readonly (keyof SignatureChange)[]> = {
  github: secretMembers,
  stripe: secretMembers,
  slack: secretMembers,
  shopify: secretMembers,
  discord: ['publicKey'],
  'standard-webhooks': secretMembers,
  token: [...secretMembers, 'header'],
  hmac: [...secretMembers, 'header', 'hash', 'encoding', 'prefix', 'signed', 'timestampHeader', 'timestampPart'],
}

export function takesSecret({ preset }: SignatureSetting): boolean {
  return membersOf[preset].includes('clearTextSecret')
}

export function readSignature(change: SignatureChange, check: Check): SignatureSetting {
  const preset = check(oneOf(signaturePresets, change.preset, 'signature-preset-unknown'))
  // The fields of an unknown preset aren't known, so none is unwanted.
  const members = membersOf[preset] ?? Object.keys(change)
  const { preset: _, ...others } = change
  const strange = Object.entries(others).some(
    ([name, value]) => value !== undefined && !members.includes(name as keyof SignatureChange),
  )
  if (strange) check({ fault: 'signature-member-unwanted' })
  if (preset === 'discord') return { preset, publicKey: check(parsePublicKey(change.publicKey)) }
  if (preset !== 'token' && preset !== 'hmac') return { preset }
  const header = check(parseHeaderName(change.header ?? '', 'signature-header-malformed'))
  if (preset === 'token') return { preset, header }
  return {
    preset,
    header,
    hash: check(oneOf(signatureHashes, change.hash ?? 'sha256', 'signature-hash-unknown')),
    encoding: check(oneOf(signatureEncodings, change.encoding ?? 'hex', 'signature-encoding-unknown')),
    prefix: check(parsePrefix(change.prefix ?? '')),
    ...readSignedText(change, check),
  }
}

/** Omits what has its default. */
function readSignedText({ signed = '{body}', timestampHeader, timestampPart }: SignatureChange, check: Check) {
  const bodies = signed.split('{body}').length - 1
  const timestamps = signed.split('{timestamp}').length - 1
  // Only Standard Webhooks, which has its own preset, signs an ID.
  const isText = /^(?!.*\{id\})[ -~]*$/.test(signed) && signed.length <= limits.signedTextMaxCharacters
  if (!isText || bodies !== 1 || timestamps > 1) check({ fault: 'signature-signed-malformed' })
  const places = [timestampHeader, timestampPart].filter((place) => place !== undefined)
  if (places.length !== timestamps) check({ fault: 'signature-timestamp-unclear' })
  for (const place of places) check(parseHeaderName(place, 'signature-timestamp-unclear'))
  return {
    ...(signed !== '{body}' && { signed }),
    ...(timestampHeader !== undefined && { timestampHeader }),
    ...(timestampPart !== undefined && { timestampPart }),
  }
}

/** Keeps the case for display, although header names are compared case-insensitively. */
export function parseHeaderName(text: string, fault: BotFaultReason): Parsed<string> {
  const within = text.length <= limits.headerNameMaxCharacters && /^[A-Za-z0-9_-]+$/.test(text)
  return within ? { value: text } : { fault }
}

function oneOf<Word extends string>(words: readonly Word[], text: string, fault: BotFaultReason): Parsed<Word> {
  const word = words.find((candidate) => candidate === text)
  return word === undefined ? { fault } : { value: word }
}

/** Trims white space, which a secret gets when it is copied. */
export function parseSigningSecret(text: string, preset: string): Parsed<string> {
  const clearText = text.trim()
  const within =
    clearText !== '' && [...clearText].length <= limits.signingSecretMaxCharacters && !/\p{Cc}/u.test(clearText)
  if (!within) return { fault: 'signature-secret-malformed' }
  const isStandard =
    preset !== 'standard-webhooks' || /^whsec_(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,4}={0,2}$/.test(clearText)
  return isStandard ? { value: clearText } : { fault: 'signature-secret-not-standard' }
}

function parsePublicKey(text: string | undefined): Parsed<string> {
  if (text === undefined || !/^[0-9a-fA-F]{64}$/.test(text)) return { fault: 'signature-public-key-malformed' }
  return isEd25519Key(text) ? { value: text.toLowerCase() } : { fault: 'signature-public-key-invalid' }
}

function parsePrefix(text: string): Parsed<string> {
  const within = text.length <= limits.signaturePrefixMaxCharacters && /^[!-~]*$/.test(text)
  return within ? { value: text } : { fault: 'signature-prefix-malformed' }
}

/** The field's prime (RFC 8032 section 5.1). The curve's constant d is -121665 divided by `divisor`. */
const p = 2n ** 255n - 19n
const divisor = 121_666n

/**
 * Returns whether this is an Ed25519 public key: a point of the curve (RFC 8032 section 5.1.3) whose order isn't small.
 * Node imports any bytes. With a key that is no point, no signature verifies; with a small order, anyone can sign.
 */
function isEd25519Key(hex: string): boolean {
  // Without the sign of x, which is the highest bit.
  const y = BigInt.asUintN(255, BigInt(`0x${Buffer.from(hex, 'hex').reverse().toString('hex')}`))
  const ySquared = (y * y) % p
  // The points of order 1, 2 and 4, and those of order 8, for which dy⁴ + 2y² - 1 = 0.
  const isSmall = ySquared < 2n || (divisor * (2n * ySquared - 1n) - 121_665n * ySquared * ySquared) % p === 0n
  // x² is (y² - 1) / (dy² + 1), which is a square if the product of the two is.
  const product = (ySquared - 1n) * (divisor - 121_665n * ySquared) * divisor
  return y < p && !isSmall && power(product, (p - 1n) / 2n) === 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = ((base % p) + p) % p
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % p
    square = (square * square) % p
  }
  return result
}
