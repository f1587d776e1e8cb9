import { createHmac, randomUUID } from 'node:crypto'
import type { SignatureEncoding, SignatureHash, SignatureSetting } from '../bots/flows/signature-setting.ts'

/** Header names are in lower case. */
export interface SignatureScheme {
  header: string
  /** Text before each signature in the header, which can list several. */
  prefix: string
  /** Header with the timestamp, if it is signed and has one of its own. */
  timestampHeader?: string | undefined
  /** Name of the timestamp in the header's list, as in `name=value,name=value`. */
  timestampPart?: string
  /** Header with the webhook's ID, if it is signed. */
  idHeader?: string
  /** `token` is for a header that contains the key itself. */
  method: SignatureHash | 'ed25519' | 'token'
  encoding: SignatureEncoding
  /** `{timestamp}` and `{id}` are replaced as sent, and `{body}` by the bytes of the body. */
  signed: string
  /** Default: the shared secret is the key. */
  secret?: 'whsec'
  /** The scheme of requests that have another header instead. */
  otherwise?: SignatureScheme
}

type NamedPreset = Exclude<SignatureSetting['preset'], 'hmac' | 'token'>

/** An HMAC of the body with SHA-256, in hexadecimal. */
const usual = { prefix: '', method: 'sha256', encoding: 'hex', signed: '{body}' } as const

function standardWebhooks(names: string): SignatureScheme {
  return {
    ...usual,
    header: `${names}-signature`,
    prefix: 'v1,',
    timestampHeader: `${names}-timestamp`,
    idHeader: `${names}-id`,
    encoding: 'base64',
    signed: '{id}.{timestamp}.{body}',
    secret: 'whsec',
  }
}

const named: Record<NamedPreset, SignatureScheme> = {
  github: { ...usual, header: 'x-hub-signature-256', prefix: 'sha256=' },
  stripe: {
    ...usual,
    header: 'stripe-signature',
    prefix: 'v1=',
    timestampPart: 't',
    signed: '{timestamp}.{body}',
  },
  slack: {
    ...usual,
    header: 'x-slack-signature',
    prefix: 'v0=',
    timestampHeader: 'x-slack-request-timestamp',
    signed: 'v0:{timestamp}:{body}',
  },
  shopify: { ...usual, header: 'x-shopify-hmac-sha256', encoding: 'base64' },
  discord: {
    ...usual,
    header: 'x-signature-ed25519',
    timestampHeader: 'x-signature-timestamp',
    method: 'ed25519',
    signed: '{timestamp}{body}',
  },
  // Svix gives its headers names of its own, unless its customer chooses those of the standard.
  'standard-webhooks': { ...standardWebhooks('webhook'), otherwise: standardWebhooks('svix') },
}

export function schemeOf(setting: SignatureSetting): SignatureScheme {
  if (setting.preset === 'token') return { ...usual, header: setting.header.toLowerCase(), method: 'token' }
  if (setting.preset !== 'hmac') return named[setting.preset]
  const { preset: _, hash: method, header, timestampHeader, ...others } = setting
  const names = { header: header.toLowerCase(), timestampHeader: timestampHeader?.toLowerCase() }
  return { ...usual, ...others, ...names, method }
}

/** Signs a body as its sender does, by any scheme except Ed25519, whose private key only the sender has. */
export function signedHeaders(
  scheme: SignatureScheme,
  key: string,
  body: Uint8Array,
  nowMs: number,
): Record<string, string> {
  const { header, prefix, timestampHeader, timestampPart, idHeader } = scheme
  if (scheme.method === 'token') return { [header]: Buffer.from(key).toString('latin1') }
  const seconds = String(Math.floor(nowMs / 1_000))
  const id = `msg_${randomUUID()}`
  const digest = hmacOf(scheme, key, signedText(scheme, { timestamp: seconds, id, body })).toString(scheme.encoding)
  return {
    [header]: `${timestampPart === undefined ? '' : `${timestampPart}=${seconds},`}${prefix}${digest}`,
    ...(timestampHeader !== undefined && { [timestampHeader]: seconds }),
    ...(idHeader !== undefined && { [idHeader]: id }),
  }
}

export function signedText(
  { signed }: SignatureScheme,
  { timestamp, id, body }: { timestamp: string; id: string; body: Uint8Array },
): readonly (string | Uint8Array)[] {
  if (signed === '{body}') return [body]
  const filled = (text: string) => text.replace(/\{(timestamp|id)\}/g, (_, name) => (name === 'id' ? id : timestamp))
  const [before = '', after = ''] = signed.split('{body}').map(filled)
  return [before, body, after]
}

export function hmacOf(
  { method, secret }: SignatureScheme,
  key: string,
  signed: ReturnType<typeof signedText>,
): Buffer {
  const hmac = createHmac(method, secret === 'whsec' ? Buffer.from(key.replace(/^whsec_/, ''), 'base64') : key)
  for (const piece of signed) hmac.update(piece)
  return hmac.digest()
}
