import { network } from '../domain/network.ts'

/** Maximum open streams: in total, per client address, and per owner. */
interface StreamLimits {
  total: number
  address: number
  owner?: number
}

/** For whom a stream is open. Streams without an owner have only a share per address. */
interface StreamParties {
  address: string
  owner?: string | null
}

/** Counts open streams of one kind, and limits them in total and per party. */
export class StreamShares {
  readonly #limits: StreamLimits
  readonly #open = new Map<string, number>()

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /** Returns what no further stream fits into, or `undefined` if one fits. */
  refusal(parties: StreamParties): keyof StreamLimits | undefined {
    const isFull = ([share, party]: [keyof StreamLimits, string]) =>
      (this.#open.get(`${share} ${party}`) ?? 0) >= (this.#limits[share] ?? Number.POSITIVE_INFINITY)
    return sharesOf(parties).find(isFull)?.[0]
  }

  /** Counts a stream until the returned function is called. */
  add(parties: StreamParties): () => void {
    const keys = sharesOf(parties).map(([share, party]) => `${share} ${party}`)
    for (const key of keys) this.#open.set(key, (this.#open.get(key) ?? 0) + 1)
    return () => {
      for (const key of keys) {
        const left = (this.#open.get(key) ?? 1) - 1
        if (left === 0) this.#open.delete(key)
        else this.#open.set(key, left)
      }
    }
  }
}

function sharesOf({ address, owner }: StreamParties): [keyof StreamLimits, string][] {
  const ofOwner: [keyof StreamLimits, string][] = owner ? [['owner', owner]] : []
  return [['total', ''], ['address', network(address)], ...ofOwner]
}
