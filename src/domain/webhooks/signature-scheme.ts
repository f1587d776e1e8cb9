import type { SignatureEncoding, SignatureHash, SignatureSetting } from '../bots/flows/signature-setting.ts'

/** Header names are in lower case. */
export interface SignatureScheme {
  header: string
  /** Text before each signature in the header, which can list several. */
  prefix: string
  /** An element is one of the header's list, as in `name=value,name=value`. */
  timestamp: { header: string } | { element: string } | undefined
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
const usual = { prefix: '', timestamp: undefined, method: 'sha256', encoding: 'hex', signed: '{body}' } as const

function standardWebhooks(names: string): SignatureScheme {
  return {
    ...usual,
    header: `${names}-signature`,
    prefix: 'v1,',
    timestamp: { header: `${names}-timestamp` },
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
    timestamp: { element: 't' },
    signed: '{timestamp}.{body}',
  },
  slack: {
    ...usual,
    header: 'x-slack-signature',
    prefix: 'v0=',
    timestamp: { header: 'x-slack-request-timestamp' },
    signed: 'v0:{timestamp}:{body}',
  },
  shopify: { ...usual, header: 'x-shopify-hmac-sha256', encoding: 'base64' },
  discord: {
    ...usual,
    header: 'x-signature-ed25519',
    timestamp: { header: 'x-signature-timestamp' },
    method: 'ed25519',
    signed: '{timestamp}{body}',
  },
  // Svix gives its headers names of its own, unless its customer chooses those of the standard.
  'standard-webhooks': { ...standardWebhooks('webhook'), otherwise: standardWebhooks('svix') },
}

export function schemeOf(setting: SignatureSetting): SignatureScheme {
  if (setting.preset === 'token') return { ...usual, header: setting.header.toLowerCase(), method: 'token' }
  if (setting.preset !== 'hmac') return named[setting.preset]
  const { header, hash, encoding, prefix, signed = '{body}', timestampHeader, timestampPart } = setting
  return {
    header: header.toLowerCase(),
    prefix,
    timestamp:
      timestampHeader !== undefined
        ? { header: timestampHeader.toLowerCase() }
        : timestampPart !== undefined
          ? { element: timestampPart }
          : undefined,
    method: hash,
    encoding,
    signed,
  }
}
