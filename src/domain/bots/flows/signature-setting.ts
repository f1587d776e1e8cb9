import {
  headerNameMaxCharacters,
  signaturePrefixMaxCharacters,
  signingSecretMaxCharacters,
} from '../../limits/limits.ts'
import type { BotFaultReason } from '../bot-refusal.ts'
import type { Parsed, Take } from '../record-rules.ts'

/** Ways of signing that are known by their sender's name, and `hmac` for all others that are an HMAC of the body. */
export const signaturePresets = ['github', 'stripe', 'slack', 'shopify', 'discord', 'hmac'] as const
export type SignaturePreset = (typeof signaturePresets)[number]

export const signatureHashes = ['sha1', 'sha256', 'sha512'] as const
export type SignatureHash = (typeof signatureHashes)[number]

export const signatureEncodings = ['hex', 'base64'] as const
export type SignatureEncoding = (typeof signatureEncodings)[number]

/** How senders sign what they send to a flow. The secret is kept apart from it. */
export type SignatureSetting =
  | { preset: 'github' | 'stripe' | 'slack' | 'shopify' }
  /** 32 bytes in hexadecimal; no secret. */
  | { preset: 'discord'; publicKey: string }
  /** The encoded HMAC of the body stands in that header, behind the prefix. */
  | { preset: 'hmac'; header: string; hash: SignatureHash; encoding: SignatureEncoding; prefix: string }

/** What is wanted of it. Members that the preset has no use for are faults. */
export interface SignatureChange {
  preset: string
  /** Absent: the stored one is kept. */
  clearTextSecret?: string | undefined
  publicKey?: string | undefined
  header?: string | undefined
  /** Absent: `sha256`. */
  hash?: string | undefined
  /** Absent: `hex`. */
  encoding?: string | undefined
  /** Absent: none. */
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

/** Whether a secret is shared with the sender. */
export function takesSecret({ preset }: SignatureSetting): boolean {
  return membersOf[preset].includes('clearTextSecret')
}

/** Reads all of it but the secret's absence, which only the store can judge. */
export function readSignature(change: SignatureChange, take: Take): SignatureSetting {
  const preset = take(oneOf(signaturePresets, change.preset, 'signature-preset-unknown'))
  // A fault of the preset is the only one told then: what belongs to it is not known.
  const members = membersOf[preset] ?? Object.keys(change)
  const { preset: _, ...others } = change
  const strange = Object.entries(others).some(
    ([name, value]) => value !== undefined && !members.includes(name as keyof SignatureChange),
  )
  if (strange) take({ fault: 'signature-member-unwanted' })
  if (change.clearTextSecret !== undefined) take(parseSigningSecret(change.clearTextSecret))
  if (preset === 'discord') return { preset, publicKey: take(parsePublicKey(change.publicKey)) }
  if (preset !== 'hmac') return { preset }
  return {
    preset,
    header: take(parseHeaderName(change.header ?? '', 'signature-header-malformed')),
    hash: take(oneOf(signatureHashes, change.hash ?? 'sha256', 'signature-hash-unknown')),
    encoding: take(oneOf(signatureEncodings, change.encoding ?? 'hex', 'signature-encoding-unknown')),
    prefix: take(parsePrefix(change.prefix ?? '')),
  }
}

/** A name that a header can have, as given. Headers are compared without regard to case. */
export function parseHeaderName(text: string, fault: BotFaultReason): Parsed<string> {
  const within = text.length <= headerNameMaxCharacters && /^[A-Za-z0-9_-]+$/.test(text)
  return within ? { value: text } : { fault }
}

function oneOf<Word extends string>(words: readonly Word[], text: string, fault: BotFaultReason): Parsed<Word> {
  const word = words.find((candidate) => candidate === text)
  return word === undefined ? { fault } : { value: word }
}

function parseSigningSecret(clearText: string): Parsed<string> {
  const within = clearText !== '' && clearText.length <= signingSecretMaxCharacters && !/\p{Cc}/u.test(clearText)
  return within ? { value: clearText } : { fault: 'signature-secret-malformed' }
}

function parsePublicKey(text: string | undefined): Parsed<string> {
  const within = text !== undefined && /^[0-9a-fA-F]{64}$/.test(text)
  return within ? { value: text.toLowerCase() } : { fault: 'signature-public-key-malformed' }
}

function parsePrefix(text: string): Parsed<string> {
  const within = text.length <= signaturePrefixMaxCharacters && /^[!-~]*$/.test(text)
  return within ? { value: text } : { fault: 'signature-prefix-malformed' }
}
