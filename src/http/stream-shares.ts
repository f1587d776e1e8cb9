import { count, network } from '../domain/limits/budget.ts'

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

/** An open stream that can be ended to give its place to another owner. */
interface EndableStream {
  owner: string | null | undefined
  end(): void
}

/**
 * Counts open streams of one kind, and limits them in total and per party. When the total is reached, an owner who has
 * no stream gets the place of the newest stream of the owner who has most, unless nobody has several.
 */
export class StreamShares {
  readonly #limits: StreamLimits
  readonly #open = new Map<string, number>()
  /** Oldest first. */
  readonly #endable = new Set<EndableStream>()

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /** Returns what no further stream fits into, or `undefined` if one fits. */
  refusal(parties: StreamParties): keyof StreamLimits | undefined {
    const isFull = ([share, party]: [keyof StreamLimits, string]) =>
      (this.#open.get(`${share} ${party}`) ?? 0) >= (this.#limits[share] ?? Number.POSITIVE_INFINITY) &&
      !(share === 'total' && this.#streamToEnd(parties))
    return sharesOf(parties).find(isFull)?.[0]
  }

  /** Counts a stream until the returned function is called. `end`, if any, gives its place to another owner. */
  add(parties: StreamParties, end?: () => void): () => void {
    if ((this.#open.get('total ') ?? 0) >= this.#limits.total) this.#streamToEnd(parties)?.end()
    const keys = sharesOf(parties).map(([share, party]) => `${share} ${party}`)
    for (const key of keys) count(this.#open, key, 1)
    let isOpen = true
    const leave = () => {
      if (!isOpen) return
      isOpen = false
      this.#endable.delete(stream)
      for (const key of keys) count(this.#open, key, -1)
    }
    const stream: EndableStream = {
      owner: parties.owner,
      end() {
        leave()
        end?.()
      },
    }
    if (end !== undefined) this.#endable.add(stream)
    return leave
  }

  #streamToEnd({ owner }: StreamParties): EndableStream | undefined {
    const ofOwners = Map.groupBy(this.#endable, (stream) => stream.owner)
    if (ofOwners.has(owner)) return undefined
    const [most = []] = [...ofOwners.values()].sort((one, other) => other.length - one.length)
    return most.length > 1 ? most.at(-1) : undefined
  }
}

function sharesOf({ address, owner }: StreamParties): [keyof StreamLimits, string][] {
  const ofOwner: [keyof StreamLimits, string][] = owner ? [['owner', owner]] : []
  return [['total', ''], ['address', network(address)], ...ofOwner]
}
