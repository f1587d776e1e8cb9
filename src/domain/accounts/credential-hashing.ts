import { argon2, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import { network } from '../limits/budget.ts'
import { hashingTasksWaitingMax } from '../limits/limits.ts'
import { AccountRefusal } from './account-refusal.ts'

export interface HashingCost {
  memoryKiB: number
  passes: number
}

/** OWASP's minimum for argon2id with one lane. */
const productionCost: HashingCost = { memoryKiB: 19_456, passes: 2 }
const parallelism = 1
const nonceBytes = 16
const tagBytes = 32
/** On a slow core. Only used to estimate the wait when the queue is full. */
const roughlyMsPerHash = 100

export interface HashingSlot {
  /** Resolves with a PHC string. */
  hash(clearText: string): Promise<string>
  /** A `null` hash takes as long as a wrong password. */
  verify(clearText: string, hash: string | null): Promise<boolean>
}

export type CredentialHashing = ReturnType<typeof createCredentialHashing>

/**
 * Hashes passwords and PINs with argon2id (RFC 9106) and the service's pepper, off the event loop. A hash takes 19 MiB
 * and tens of milliseconds of CPU time, so only a few run at the same time, some wait, and the rest are rejected: a
 * flood of sign-ins slows down sign-in, but not tokens or webhooks.
 *
 * @param parts `peppers`: newest first. The first one hashes; the pepper named in the hash verifies.
 */
export function createCredentialHashing(parts: {
  peppers: readonly Uint8Array[]
  cost?: HashingCost | undefined
  atOnce?: number
  queueMax?: number
}) {
  const { peppers, cost = productionCost, atOnce = 2, queueMax = hashingTasksWaitingMax } = parts
  const peppersWithId = peppers.map((key) => ({ key, id: idOfPepper(key) }))
  const slots = new ConcurrencyLimit(atOnce, {
    tasks: queueMax,
    refusal: () => new AccountRefusal('busy', { retryAfterMs: (queueMax / atOnce) * roughlyMsPerHash }),
  })

  async function hash(clearText: string): Promise<string> {
    const nonce = randomBytes(nonceBytes)
    const { memoryKiB, passes } = cost
    const { id, key } = peppersWithId[0] as Pepper
    const tag = await derive(clearText, { nonce, memory: memoryKiB, passes, parallelism }, key)
    return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism},keyid=${id}$${unpadded(nonce)}$${unpadded(tag)}`
  }

  async function verify(clearText: string, hash: string | null): Promise<boolean> {
    const stored = hash === null ? dummyHash(cost) : parsePhc(hash)
    const pepper = pepperOf(stored)
    const tag = await derive(clearText, stored, pepper?.key ?? noPepper)
    return timingSafeEqual(tag, stored.tag) && hash !== null && pepper !== undefined
  }

  /** Returns `undefined` for a removed pepper. A hash without a pepper ID predates rotation and uses the oldest. */
  function pepperOf({ pepperId }: PhcHash): Pepper | undefined {
    return pepperId === undefined ? peppersWithId.at(-1) : peppersWithId.find(({ id }) => id === pepperId)
  }

  return {
    get figures(): { running: number; waiting: number } {
      return slots.figures
    },

    /**
     * Runs `work` in a free slot, which it holds until it ends: no `busy` error can occur between its steps.
     *
     * @param address of the client. Each address's first task comes before all addresses' second ones.
     * @throws AccountRefusal `busy` if the queue is full and no address has more waiting tasks.
     */
    withSlot<T>(address: string, work: (slot: HashingSlot) => Promise<T>): Promise<T> {
      return slots.run(() => work({ hash, verify }), network(address))
    },
  }
}

interface Pepper {
  key: Uint8Array
  id: string
}

/** `keyid` in PHC strings. Reveals nothing about the pepper. */
function idOfPepper(key: Uint8Array): string {
  return unpadded(createHmac('sha256', key).update('id').digest().subarray(0, 6))
}

function derive(
  clearText: string,
  { memory, passes, parallelism, nonce }: Omit<PhcHash, 'tag' | 'pepperId'>,
  pepper: Uint8Array,
): Promise<Uint8Array> {
  // Different keyboards can produce different code points for the same character.
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
  pepperId: string | undefined
  nonce: Uint8Array
  tag: Uint8Array
}

/** Replaces a pepper that has been removed, so that verifying the hash takes as long as any other. */
const noPepper = new Uint8Array(32)

function dummyHash({ memoryKiB, passes }: HashingCost): PhcHash {
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
  if (match === null) throw new Error('stored credential is not an argon2id PHC string')
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

/** PHC strings have no padding. */
function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}
