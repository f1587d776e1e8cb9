import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** Changes that make a response differ from that of a normal device. */
export interface Deviations {
  origin?: string
  rpId?: string
  userHandle?: string
  /** Reports that the user was present but not verified. */
  unverified?: boolean
  /** Signature counter to report instead of the next one. */
  counter?: number
  /** Signs with a key other than the passkey's. */
  forged?: boolean
  /** Adds an attestation with this format and statement. `self` means self-attestation with the passkey's own key. */
  attestation?: { fmt: string; attStmt: Map<string, unknown> } | 'self'
}

interface Options {
  challenge: string
  user?: { id: string }
}

export interface KeptPasskey {
  privateKey: string
  credentialId: string
  counter: number
  userHandle: string
}

/** A device with one passkey, as a server sees it (WebAuthn section 6). Uses ES256 and no attestation by default. */
export class SoftwareAuthenticator {
  readonly credentialId: string
  readonly #key: KeyObject
  readonly #publicKey: { x: string; y: string }
  readonly #origin: string
  readonly #counts: boolean
  #counter = 0
  #userHandle = ''

  /**
   * @param counts whether the device counts its signatures. Synced passkeys do not.
   * @param kept the passkey of an earlier device; see {@link keep}.
   */
  constructor({ origin, counts = true, kept }: { origin: string; counts?: boolean; kept?: KeptPasskey }) {
    const key = kept && createPrivateKey(kept.privateKey)
    this.#key = key ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    this.#publicKey = createPublicKey(this.#key).export({ format: 'jwk' }) as { x: string; y: string }
    this.#origin = origin
    this.#counts = counts
    this.credentialId = kept?.credentialId ?? randomBytes(32).toString('base64url')
    this.#counter = kept?.counter ?? 0
    this.#userHandle = kept?.userHandle ?? ''
  }

  /** Returns the passkey with its private key, so that another device can go on with it. */
  keep(): KeptPasskey {
    return {
      privateKey: String(this.#key.export({ format: 'pem', type: 'pkcs8' })),
      credentialId: this.credentialId,
      counter: this.#counter,
      userHandle: this.#userHandle,
    }
  }

  create(options: Options, lies: Deviations = {}): string {
    this.#userHandle = options.user?.id ?? ''
    const idBytes = Buffer.from(this.credentialId, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(idBytes.length)
    const publicKey = isoCBOR.encode(
      new Map<number, number | Uint8Array<ArrayBuffer>>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes(this.#publicKey.x)],
        [-3, bytes(this.#publicKey.y)],
      ]),
    )
    const authData = Buffer.concat([this.#authenticatorData(lies, 0x40), Buffer.alloc(16), length, idBytes, publicKey])
    const clientDataJSON = this.#clientData('webauthn.create', options, lies)
    const { fmt, attStmt } = this.#attestation(lies, authData, clientDataJSON)
    const attestationObject = isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', new Uint8Array(authData)],
      ]) as Parameters<typeof isoCBOR.encode>[0],
    )
    return this.#answer({
      clientDataJSON,
      attestationObject: Buffer.from(attestationObject).toString('base64url'),
      transports: ['internal'],
    })
  }

  get(options: Options, lies: Deviations = {}): string {
    const clientDataJSON = this.#clientData('webauthn.get', options, lies)
    const authenticatorData = this.#authenticatorData(lies, 0)
    const key = lies.forged === true ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : this.#key
    return this.#answer({
      clientDataJSON,
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signedBytes(authenticatorData, clientDataJSON), key).toString('base64url'),
      userHandle: lies.userHandle ?? this.#userHandle,
    })
  }

  #attestation({ attestation }: Deviations, authData: Buffer, clientDataJSON: string) {
    if (attestation === undefined) return { fmt: 'none', attStmt: new Map() }
    if (attestation !== 'self') return attestation
    const sig = new Uint8Array(sign('sha256', signedBytes(authData, clientDataJSON), this.#key))
    return {
      fmt: 'packed',
      attStmt: new Map<string, unknown>([
        ['alg', -7],
        ['sig', sig],
      ]),
    }
  }

  #answer(response: object): string {
    const id = this.credentialId
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  }

  #clientData(type: string, { challenge }: Options, lies: Deviations): string {
    const data = { type, challenge, origin: lies.origin ?? this.#origin }
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false })).toString('base64url')
  }

  #authenticatorData(lies: Deviations, moreFlags: number): Buffer {
    if (this.#counts) this.#counter += 1
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(lies.counter ?? this.#counter)
    const present = 0x01
    const verified = lies.unverified === true ? 0 : 0x04
    // A passkey without a counter is a synced one, so it sets the flags for backup eligibility and backup state.
    const synced = this.#counts ? 0 : 0x18
    return Buffer.concat([
      createHash('sha256')
        .update(lies.rpId ?? new URL(this.#origin).hostname)
        .digest(),
      Buffer.from([present | verified | synced | moreFlags]),
      counter,
    ])
  }
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, 'base64url'))
}

/** What an authenticator signs (WebAuthn section 6.3.3). */
function signedBytes(authenticatorData: Buffer, clientDataJSON: string): Buffer {
  const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
  return Buffer.concat([authenticatorData, hash])
}
