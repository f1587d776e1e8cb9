import * as limits from '../../limits/limits.ts'
import type { BotFaultReason } from '../bot-refusal.ts'
import type { Check, Parsed } from '../record-rules.ts'
import { isEd25519Key } from './ed25519-key.ts'

/**
 * Signature schemes, named after the senders that use them. `hmac` is for any other sender that sends an HMAC of the
 * body.
 */
export const signaturePresets = ['github', 'stripe', 'slack', 'shopify', 'discord', 'hmac'] as const
export type SignaturePreset = (typeof signaturePresets)[number]

export const signatureHashes = ['sha1', 'sha256', 'sha512'] as const
export type SignatureHash = (typeof signatureHashes)[number]

export const signatureEncodings = ['hex', 'base64'] as const
export type SignatureEncoding = (typeof signatureEncodings)[number]

/** How senders sign the webhooks they send to a flow. The secret is stored separately. */
export type SignatureSetting =
  | { preset: 'github' | 'stripe' | 'slack' | 'shopify' }
  /** A 32-byte public key in hexadecimal. No secret is needed. */
  | { preset: 'discord'; publicKey: string }
  /** The header contains the prefix, followed by the encoded HMAC of the body. */
  | { preset: 'hmac'; header: string; hash: SignatureHash; encoding: SignatureEncoding; prefix: string }

/** A requested signature setting. A field that the preset doesn't use is a validation error. */
export interface SignatureChange {
  preset: string
  /** The signing secret. If omitted, the stored secret is kept. */
  clearTextSecret?: string | undefined
  publicKey?: string | undefined
  header?: string | undefined
  /** Hash function. Default: `sha256`. */
  hash?: string | undefined
  /** Encoding of the signature. Default: `hex`. */
  encoding?: string | undefined
  /** Text before the signature in the header. Default: none. */
  prefix?: string | undefined
}

const membersOf: Record<SignaturePreset, readonly (keyof SignatureChange)[]> = {
  github: ['clearTextSecret'],
  stripe: ['clearTextSecret'],
  slack: ['clearTextSecret'],
  shopify: ['clearTextSecret'],
  discord: ['publicKey'],
  hmac: ['clearTextSecret', 'header', 'hash', 'encoding', 'prefix'],
}

/** Returns whether the preset uses a secret shared with the sender. */
export function takesSecret({ preset }: SignatureSetting): boolean {
  return membersOf[preset].includes('clearTextSecret')
}

/**
 * Parses the signature setting, except for the secret.
 */
export function readSignature(change: SignatureChange, check: Check): SignatureSetting {
  const preset = check(oneOf(signaturePresets, change.preset, 'signature-preset-unknown'))
  // The fields of an unknown preset aren't known, so no field is reported as unwanted.
  const members = membersOf[preset] ?? Object.keys(change)
  const { preset: _, ...others } = change
  const strange = Object.entries(others).some(
    ([name, value]) => value !== undefined && !members.includes(name as keyof SignatureChange),
  )
  if (strange) check({ fault: 'signature-member-unwanted' })
  if (preset === 'discord') return { preset, publicKey: check(parsePublicKey(change.publicKey)) }
  if (preset !== 'hmac') return { preset }
  return {
    preset,
    header: check(parseHeaderName(change.header ?? '', 'signature-header-malformed')),
    hash: check(oneOf(signatureHashes, change.hash ?? 'sha256', 'signature-hash-unknown')),
    encoding: check(oneOf(signatureEncodings, change.encoding ?? 'hex', 'signature-encoding-unknown')),
    prefix: check(parsePrefix(change.prefix ?? '')),
  }
}

/** Parses a header name. Keeps its case for display, although header names are compared case-insensitively. */
export function parseHeaderName(text: string, fault: BotFaultReason): Parsed<string> {
  const within = text.length <= limits.headerNameMaxCharacters && /^[A-Za-z0-9_-]+$/.test(text)
  return within ? { value: text } : { fault }
}

function oneOf<Word extends string>(words: readonly Word[], text: string, fault: BotFaultReason): Parsed<Word> {
  const word = words.find((candidate) => candidate === text)
  return word === undefined ? { fault } : { value: word }
}

/** Returns the secret without the white space around it, which it gets when it is copied. */
export function parseSigningSecret(text: string): Parsed<string> {
  const clearText = text.trim()
  const within = clearText !== '' && clearText.length <= limits.signingSecretMaxCharacters && !/\p{Cc}/u.test(clearText)
  return within ? { value: clearText } : { fault: 'signature-secret-malformed' }
}

function parsePublicKey(text: string | undefined): Parsed<string> {
  if (text === undefined || !/^[0-9a-fA-F]{64}$/.test(text)) return { fault: 'signature-public-key-malformed' }
  return isEd25519Key(text) ? { value: text.toLowerCase() } : { fault: 'signature-public-key-invalid' }
}

function parsePrefix(text: string): Parsed<string> {
  const within = text.length <= limits.signaturePrefixMaxCharacters && /^[!-~]*$/.test(text)
  return within ? { value: text } : { fault: 'signature-prefix-malformed' }
}
