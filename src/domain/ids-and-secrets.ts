import {
  createCipheriv,
  createDecipheriv,
  hash,
  hkdfSync,
  randomBytes,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto'

/** IDs are branded types, so that one kind of ID can't be passed for another. Each brand has one parser. */
declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type UserId = Branded<'UserId'>
export type ApplicationId = Branded<'ApplicationId'>
export type ClientId = Branded<'ClientId'>
export type BotId = Branded<'BotId'>
export type FlowId = Branded<'FlowId'>
export type RuntimeId = Branded<'RuntimeId'>
export type OperatorKeyId = Branded<'OperatorKeyId'>
export type PersonalTokenId = Branded<'PersonalTokenId'>
export type SubscriptionId = Branded<'SubscriptionId'>
export type ChatPlatformId = Branded<'ChatPlatformId'>
export type AttemptId = Branded<'AttemptId'>

const internalId = /^[A-Za-z0-9_-]{1,64}$/
const chatPlatformId = /^[0-9]{17,20}$/

function parserOf<Id extends string>(form: RegExp): (text: string) => Id | undefined {
  return (text) => (form.test(text) ? (text as Id) : undefined)
}

/** IDs have 1 to 64 characters of `[A-Za-z0-9_-]`. The parsers return `undefined` for anything else. */
export const parseUserId = parserOf<UserId>(internalId)
export const parseApplicationId = parserOf<ApplicationId>(internalId)
export const parseFlowId = parserOf<FlowId>(internalId)
export const parseRuntimeId = parserOf<RuntimeId>(internalId)
export const parseOperatorKeyId = parserOf<OperatorKeyId>(internalId)
export const parsePersonalTokenId = parserOf<PersonalTokenId>(internalId)
export const parseSubscriptionId = parserOf<SubscriptionId>(internalId)
/** A snowflake of the chat platform: 17 to 20 digits. */
export const parseChatPlatformId = parserOf<ChatPlatformId>(chatPlatformId)

/** Applications and subscriptions can't have this ID: it is the last segment of the path of the form for a new one. */
export const formId = 'new'

/** Bot IDs must not look like a chat-platform ID: a URL that accepts both kinds must identify exactly one bot. */
export function parseBotId(text: string): BotId | undefined {
  return internalId.test(text) && !chatPlatformId.test(text) ? (text as BotId) : undefined
}

/** Client IDs aren't parsed: a client ID is valid if it exists in the store. */
export function asClientId(text: string): ClientId {
  return text as ClientId
}
export function asAttemptId(text: string): AttemptId {
  return text as AttemptId
}

const outboxPrefix = 'subscription:'

/** The name of a subscription's events in the delivery queue, in place of a bot ID. No bot ID contains a colon. */
export function outboxOf(id: SubscriptionId): BotId {
  return `${outboxPrefix}${id}` as BotId
}

/** Returns `undefined` for a bot. */
export function subscriptionOf(botId: BotId): SubscriptionId | undefined {
  return botId.startsWith(outboxPrefix) ? (botId.slice(outboxPrefix.length) as SubscriptionId) : undefined
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz'

/** Returns a random ID of 22 characters (over 120 bits), of the kind that it is made for. IDs are not secret. */
export function newId<Id extends string = string>(): Id {
  let id = ''
  while (id.length < 22) {
    for (const byte of randomBytes(32)) {
      const letter = alphabet[byte & 63]
      if (letter !== undefined && id.length < 22) id += letter
    }
  }
  return id as Id
}

export type SecretDigest = Uint8Array & { readonly digest: true }

/**
 * The specification defines the prefixes of codes and tokens. Programs outside this repository also rely on those of
 * client secrets, runtime keys and flow keys.
 */
export const secretPrefixes = {
  authorizationCode: 'svc_ac_',
  accessToken: 'svc_at_',
  refreshToken: 'svc_rt_',
  clientSecret: 'svc_cs_',
  runtimeKey: 'svc_rk_',
  flowKey: 'svc_fk_',
  operatorKey: 'svc_ok_',
  personalToken: 'svc_pat_',
  session: 'svc_se_',
  providerVisit: 'svc_pv_',
  oneTimeLink: 'svc_mt_',
} as const
type SecretKind = keyof typeof secretPrefixes

interface SealedNumber {
  row: number
  generation: number
}

export interface PresentedSecret extends SealedNumber {
  digest: SecretDigest
}

const randomPartBytes = 32
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base62Letters = Buffer.from(base62)
// Shared by the synchronous functions below: allocating for each secret would take longer than filling.
const block = Buffer.alloc(16)
const letters = Buffer.alloc(72)
/** Indexed by character code. 255 for characters that are no base62 digits. */
const base62Value = new Uint8Array(128).fill(255)
for (const [value, letter] of [...base62].entries()) base62Value[letter.charCodeAt(0)] = value

/**
 * Creates, parses and digests secrets. Only the digest is stored.
 *
 * A numbered secret is `prefix + base62(encrypted number + 256 random bits)`. The number is the row's key, so a lookup
 * is one read by integer key, and inserts append. It is encrypted as one AES block (row, generation, 48 zero bits), so
 * clients can neither read nor forge it. A superseded secret is recognized without keeping its digest.
 */
export class Secrets {
  // Kept as a string, so that `digest` can concatenate it with the secret and hash both in one call.
  readonly #digestKey: string
  readonly #derive: (purpose: string) => Uint8Array
  // ECB without padding keeps no state between blocks, so all blocks can share one cipher object.
  readonly #seal: ReturnType<typeof createCipheriv>
  readonly #unseal: ReturnType<typeof createDecipheriv>
  readonly #previous: readonly Secrets[]
  #pool = new Uint8Array(0)

  /** @param previousKeys verify existing secrets but never create new ones (decision 0053). */
  constructor(secretKey: string, previousKeys: readonly string[] = []) {
    this.#previous = previousKeys.map((key) => new Secrets(key))
    this.#derive = (purpose) => new Uint8Array(hkdfSync('sha256', secretKey, 'gatehouse', purpose, 32))
    this.#digestKey = Buffer.from(this.#derive('secret digest')).toString('hex')
    const sealKey = this.#derive('row number seal')
    this.#seal = createCipheriv('aes-256-ecb', sealKey, null).setAutoPadding(false)
    this.#unseal = createDecipheriv('aes-256-ecb', sealKey, null).setAutoPadding(false)
  }

  /** Derives a 32-byte key for another purpose, such as form tokens or the password pepper. */
  keyFor(purpose: string): Uint8Array {
    return this.#derive(purpose)
  }

  /** Derives a key from each secret key, current first. */
  keysFor(purpose: string): readonly Uint8Array[] {
    return [this, ...this.#previous].map((secrets) => secrets.keyFor(purpose))
  }

  /**
   * Returns SHA-256 of the pepper and the secret. HMAC would take three times as long. It prevents length extension,
   * which is no threat here: digests are only ever compared with stored ones (decision 0053).
   */
  digest(clearText: string): SecretDigest {
    // Hashes a string, because creating a buffer in native code takes longer than the hashing.
    const bytes = hash('sha256', this.#digestKey + clearText, 'latin1')
    return Buffer.from(bytes, 'latin1') as Uint8Array as SecretDigest
  }

  /** Looks for the digest with each secret key, current key first, one after the other. */
  async findStored<Found>(
    clearText: string,
    look: (digest: SecretDigest) => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    for (const secrets of [this, ...this.#previous]) {
      const found = await look(secrets.digest(clearText))
      if (found !== undefined) return found
    }
    return undefined
  }

  find<Found>(clearText: string, look: (digest: SecretDigest) => Found | undefined): Found | undefined {
    let found = look(this.digest(clearText))
    for (let at = 0; found === undefined && at < this.#previous.length; at += 1) {
      found = this.#previous[at]?.find(clearText, look)
    }
    return found
  }

  /** Creates a secret without a number. The store finds it by its owner's ID or by its digest. */
  make(kind: SecretKind): { clearText: string; digest: SecretDigest; lastFour: string } {
    const clearText = secretPrefixes[kind] + encodeBase62(this.#random(randomPartBytes))
    return { clearText, digest: this.digest(clearText), lastFour: clearText.slice(-4) }
  }

  makeNumbered(kind: SecretKind, number: SealedNumber): { clearText: string; digest: SecretDigest } {
    block.writeUIntBE(number.row, 0, 6)
    block.writeUInt32BE(number.generation, 6)
    block.fill(0, 10)
    const clearText = secretPrefixes[kind] + encodeBase62(this.#seal.update(block), this.#random(randomPartBytes))
    return { clearText, digest: this.digest(clearText) }
  }

  /** Returns `undefined` if the secret is of another kind, or if this service didn't encrypt its number. */
  readNumbered(kind: SecretKind, clearText: string): PresentedSecret | undefined {
    const prefix = secretPrefixes[kind]
    if (clearText.length !== prefix.length + 72 || !clearText.startsWith(prefix)) return undefined
    if (!decodeBase62(clearText, prefix.length, block)) return undefined
    const number = this.#unseal.update(block)
    // The number was encrypted with a previous key, or not by this service at all.
    if (number.readUIntBE(10, 6) !== 0) return this.#readPrevious(kind, clearText)
    return { row: number.readUIntBE(0, 6), generation: number.readUInt32BE(6), digest: this.digest(clearText) }
  }

  #readPrevious(kind: SecretKind, clearText: string): PresentedSecret | undefined {
    for (const previous of this.#previous) {
      const presented = previous.readNumbered(kind, clearText)
      if (presented !== undefined) return presented
    }
    return undefined
  }

  #random(bytes: number): Uint8Array {
    // One system call provides the random bytes for many secrets. No byte is used twice.
    if (this.#pool.length < bytes) this.#pool = randomFillSync(new Uint8Array(4_096))
    const taken = this.#pool.subarray(0, bytes)
    this.#pool = this.#pool.subarray(bytes)
    return taken
  }
}

/** Compares in constant time. */
export function sameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Client secrets, tokens and passwords of the existing data can't be verified. */
export class SecretKeyMismatch extends Error {
  constructor() {
    super('the existing data was created with another secret key')
    this.name = 'SecretKeyMismatch'
  }
}

/** Encodes every 4 bytes as 6 characters: 62^6 exceeds 2^32, so no BigInt is needed. */
function encodeBase62(...parts: Uint8Array[]): string {
  let length = 0
  for (const part of parts) {
    const view = new DataView(part.buffer, part.byteOffset, part.byteLength)
    for (let at = 0; at < part.length; at += 4) {
      let rest = view.getUint32(at)
      for (let letter = 5; letter >= 0; letter -= 1) {
        const higher = Math.floor(rest / 62)
        letters[length + letter] = base62Letters[rest - higher * 62] as number
        rest = higher
      }
      length += 6
    }
  }
  return letters.toString('latin1', 0, length)
}

/** Decodes as many bytes as `into` can hold. Returns `false` if the text was not produced by `encodeBase62`. */
function decodeBase62(text: string, from: number, into: Buffer): boolean {
  for (let group = 0; group < into.length / 4; group += 1) {
    let value = 0
    for (let letter = 0; letter < 6; letter += 1) {
      const digit = base62Value[text.charCodeAt(from + group * 6 + letter)] ?? 255
      if (digit === 255) return false
      value = value * 62 + digit
    }
    if (value > 0xffff_ffff) return false
    into.writeUInt32BE(value, group * 4)
  }
  return true
}
