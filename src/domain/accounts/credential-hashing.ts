import { argon2, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { Turns } from '../turns.ts'
import { AccountRefusal } from './account-refusal.ts'

/** The cost of computing one hash. */
export interface HashingCost {
  memoryKiB: number
  passes: number
}

/** OWASP's minimum for argon2id, with one lane. */
const productionCost: HashingCost = { memoryKiB: 19_456, passes: 2 }
const parallelism = 1
const nonceBytes = 16
const tagBytes = 32
/** Measured on a slow core; only used to tell people how long a full queue takes. */
const roughlyMsPerHash = 100

/** What can be done while one of the few hashing slots is held. */
export interface HashingSlot {
  /** @returns a PHC string with its own random nonce. */
  hash(clearText: string): Promise<string>
  /** Null stands for nothing to compare with: false, after the same time. */
  verify(clearText: string, hash: string | null): Promise<boolean>
}

/**
 * Hashes passwords and PINs by argon2id (RFC 9106) with the service's pepper, off the event loop.
 *
 * A hash takes 19 MiB and tens of milliseconds of a core, so only few run at once, further ones queue,
 * and a full queue refuses: sign-in under a flood degrades, tokens and webhooks do not.
 */
export class CredentialHashing {
  readonly #peppers: readonly Pepper[]
  readonly #cost: HashingCost
  readonly #atOnce: number
  readonly #queueMax: number
  readonly #turns: Turns

  /**
   * @param peppers the first is for new hashes, each for what was hashed with it; the last is the oldest.
   * @param cost of new hashes; tests lower it.
   */
  constructor({
    peppers,
    cost = productionCost,
    atOnce = 2,
    queueMax = 128,
  }: { peppers: readonly Uint8Array[]; cost?: HashingCost | undefined; atOnce?: number; queueMax?: number }) {
    this.#peppers = peppers.map((key) => ({ key, id: idOfPepper(key) }))
    this.#cost = cost
    this.#atOnce = atOnce
    this.#queueMax = queueMax
    this.#turns = new Turns(atOnce)
  }

  /** How many hash now, and how many wait for that. */
  get figures(): { running: number; waiting: number } {
    return this.#turns.figures
  }

  /**
   * Runs `work` once a slot is free, in the order of arrival. What `work` claims in a store before it
   * hashes need not be given back for want of a slot.
   *
   * @throws AccountRefusal `busy` at once, when the queue is full.
   */
  async withSlot<T>(work: (slot: HashingSlot) => Promise<T>): Promise<T> {
    if (this.#turns.allTaken && this.#turns.figures.waiting >= this.#queueMax) {
      throw new AccountRefusal('busy', { retryAfterMs: (this.#queueMax / this.#atOnce) * roughlyMsPerHash })
    }
    return this.#turns.take(() =>
      work({
        hash: (clearText) => this.#hash(clearText),
        verify: (clearText, hash) => this.#verify(clearText, hash),
      }),
    )
  }

  async #hash(clearText: string): Promise<string> {
    const nonce = randomBytes(nonceBytes)
    const { memoryKiB, passes } = this.#cost
    const { id, key } = this.#peppers[0] as Pepper
    const tag = await derive(clearText, { nonce, memory: memoryKiB, passes, parallelism }, key)
    return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism},keyid=${id}$${unpadded(nonce)}$${unpadded(tag)}`
  }

  async #verify(clearText: string, hash: string | null): Promise<boolean> {
    const stored = hash === null ? nothingStored(this.#cost) : parsePhc(hash)
    const pepper = this.#pepperOf(stored)
    const tag = await derive(clearText, stored, pepper?.key ?? noPepper)
    return timingSafeEqual(tag, stored.tag) && hash !== null && pepper !== undefined
  }

  /** Undefined for a pepper that is not known any more. Hashes that name none are from before peppers could change. */
  #pepperOf({ pepperId }: PhcHash): Pepper | undefined {
    return pepperId === undefined ? this.#peppers.at(-1) : this.#peppers.find(({ id }) => id === pepperId)
  }
}

interface Pepper {
  key: Uint8Array
  id: string
}

/** Names a pepper in the hashes made with it (`keyid` of PHC strings), and tells nothing of it. */
function idOfPepper(key: Uint8Array): string {
  return unpadded(createHmac('sha256', key).update('id').digest().subarray(0, 6))
}

function derive(
  clearText: string,
  { memory, passes, parallelism, nonce }: Omit<PhcHash, 'tag' | 'pepperId'>,
  pepper: Uint8Array,
): Promise<Uint8Array> {
  // One way of writing each character, whatever keyboard it was typed on.
  const message = clearText.normalize('NFKC')
  return new Promise((resolve, reject) => {
    argon2(
      'argon2id',
      { message, memory, passes, parallelism, nonce, tagLength: tagBytes, secret: pepper },
      (error, derived) => {
        if (error === null) resolve(derived)
        else reject(error)
      },
    )
  })
}

interface PhcHash {
  memory: number
  passes: number
  parallelism: number
  /** Undefined in hashes from before it was written. */
  pepperId: string | undefined
  nonce: Uint8Array
  tag: Uint8Array
}

/** In place of one that is not known any more, so that it takes the same time. */
const noPepper = new Uint8Array(32)

function nothingStored({ memoryKiB, passes }: HashingCost): PhcHash {
  return {
    memory: memoryKiB,
    passes,
    parallelism,
    pepperId: undefined,
    nonce: new Uint8Array(nonceBytes),
    tag: new Uint8Array(tagBytes),
  }
}

function parsePhc(hash: string): PhcHash {
  const match =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)(?:,keyid=([A-Za-z0-9+/]+))?\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(
      hash,
    )
  if (match === null) throw new Error('a stored credential is not an argon2id PHC string')
  const [, memory, times, lanes, pepperId, nonce = '', tag = ''] = match
  return {
    memory: Number(memory),
    passes: Number(times),
    parallelism: Number(lanes),
    pepperId,
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** Base64 as PHC strings have it. */
function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}
