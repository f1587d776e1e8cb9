import type { UserId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'

/** `null` is the platform. */
export interface Slot {
  owner: UserId | null
  host: string
}

/** Sends requests of one owner, at present to one host. */
export interface SlotUser extends Slot {
  /** Called when slots have become free. May take some. */
  pump(): void
}

interface Host {
  inFlight: number
  isSlow: boolean
}

/** Divides the requests in flight among owners and hosts. A slow host gets few, so that other events find slots. */
export class RequestSlots {
  #inFlight = 0
  readonly #ofOwners = new Map<UserId | null, number>()
  readonly #hosts = new Map<string, Host>()
  /** Users that found no free slot, in order of arrival. */
  readonly #waiting = new Map<UserId | null, Set<SlotUser>>()

  /** Takes up to `most` slots. If there is none, calls the user's `pump` once there is. */
  take(user: SlotUser, most: number): Slot[] {
    const { owner, host } = user
    this.forget(user)
    const count = Math.min(most, this.#roomFor(user))
    if (count <= 0) {
      this.#waiting.getOrInsertComputed(owner, () => new Set()).add(user)
      return []
    }
    this.#add({ owner, host }, count)
    return Array.from({ length: count }, () => ({ owner, host }))
  }

  /** @param tookMs `undefined` if no request was sent to the slot's host. */
  release(slot: Slot, tookMs?: number): void {
    const host = this.#add(slot, -1)
    if (tookMs !== undefined) host.isSlow = tookMs >= limits.outgoingSlowMs
    if (host.inFlight === 0) this.#remember(slot.host, host)
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.forget(next)
      next.pump()
    }
  }

  forget(user: SlotUser): void {
    const waiting = this.#waiting.get(user.owner)
    waiting?.delete(user)
    if (waiting?.size === 0) this.#waiting.delete(user.owner)
  }

  /** Returns a waiting user of the owner with the fewest requests in flight that can get a slot. */
  #next(): SlotUser | undefined {
    if (this.#inFlight >= limits.outgoingRequestsMax) return undefined
    let next: SlotUser | undefined
    for (const [owner, users] of this.#waiting) {
      if (next !== undefined && this.#ofOwner(owner) >= this.#ofOwner(next.owner)) continue
      for (const user of users) {
        if (this.#roomFor(user) <= 0) continue
        next = user
        break
      }
    }
    return next
  }

  #roomFor({ owner, host }: Slot): number {
    const { inFlight, isSlow } = this.#hosts.get(host) ?? { inFlight: 0, isSlow: false }
    return Math.min(
      limits.outgoingRequestsMax - this.#inFlight,
      (owner === null ? limits.outgoingRequestsOfPlatform : limits.outgoingRequestsPerOwner) - this.#ofOwner(owner),
      (isSlow ? limits.outgoingRequestsPerSlowHost : limits.outgoingRequestsPerHost) - inFlight,
    )
  }

  #ofOwner(owner: UserId | null): number {
    return this.#ofOwners.get(owner) ?? 0
  }

  #add({ owner, host: name }: Slot, count: number): Host {
    this.#inFlight += count
    const ofOwner = this.#ofOwner(owner) + count
    if (ofOwner > 0) this.#ofOwners.set(owner, ofOwner)
    else this.#ofOwners.delete(owner)
    const host = this.#hosts.getOrInsert(name, { inFlight: 0, isSlow: false })
    host.inFlight += count
    return host
  }

  /** Keeps an idle host only if it is slow, and only the hosts that were used last. */
  #remember(name: string, host: Host): void {
    this.#hosts.delete(name)
    if (!host.isSlow) return
    this.#hosts.set(name, host)
    if (this.#hosts.size <= limits.slowHostsMax) return
    for (const [other, { inFlight }] of this.#hosts) {
      if (inFlight > 0) continue
      this.#hosts.delete(other)
      return
    }
  }
}
