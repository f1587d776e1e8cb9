import type { SignatureEncoding, SignatureHash, SignatureSetting } from '../bots/flows/signature-setting.ts'

/** A sender's signature scheme. Header names are in lower case. */
export interface SignatureScheme {
  header: string
  /**
   * Location of the signature: the whole header after a prefix, or one element in a list like `name=value,name=value`.
   */
  signature: { prefix: string } | { element: string }
  /** Location of the signed timestamp, in seconds since the epoch. `undefined` if the scheme signs no timestamp. */
  timestamp: { header: string } | { element: string } | undefined
  method: SignatureHash | 'ed25519'
  encoding: SignatureEncoding
  /** Text signed before the body. `{timestamp}` is replaced by the timestamp as sent. */
  before: string
}

type NamedPreset = Exclude<SignatureSetting['preset'], 'hmac'>

const named: Record<NamedPreset, SignatureScheme> = {
  github: {
    header: 'x-hub-signature-256',
    signature: { prefix: 'sha256=' },
    timestamp: undefined,
    method: 'sha256',
    encoding: 'hex',
    before: '',
  },
  stripe: {
    header: 'stripe-signature',
    signature: { element: 'v1' },
    timestamp: { element: 't' },
    method: 'sha256',
    encoding: 'hex',
    before: '{timestamp}.',
  },
  slack: {
    header: 'x-slack-signature',
    signature: { prefix: 'v0=' },
    timestamp: { header: 'x-slack-request-timestamp' },
    method: 'sha256',
    encoding: 'hex',
    before: 'v0:{timestamp}:',
  },
  shopify: {
    header: 'x-shopify-hmac-sha256',
    signature: { prefix: '' },
    timestamp: undefined,
    method: 'sha256',
    encoding: 'base64',
    before: '',
  },
  discord: {
    header: 'x-signature-ed25519',
    signature: { prefix: '' },
    timestamp: { header: 'x-signature-timestamp' },
    method: 'ed25519',
    encoding: 'hex',
    before: '{timestamp}',
  },
}

export function schemeOf(setting: SignatureSetting): SignatureScheme {
  if (setting.preset !== 'hmac') return named[setting.preset]
  const { header, hash, encoding, prefix } = setting
  return {
    header: header.toLowerCase(),
    signature: { prefix },
    timestamp: undefined,
    method: hash,
    encoding,
    before: '',
  }
}
