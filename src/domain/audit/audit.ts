import { createHmac } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { ApplicationId, UserId } from '../ids.ts'
import { auditDetailMaxCharacters, auditRetentionMs, auditUserAgentMaxCharacters } from '../limits/limits.ts'
import type { Secrets } from '../secret.ts'
import type { AuditEvent, AuditKind, Happening, NewAuditEvent, Recording, ShownEvent } from './audit-event.ts'
import type { AuditPage, AuditStore } from './audit-store.ts'

/** Of the whole digest: enough to tell accounts apart, and short in a line. */
const digestCharacters = 22

/**
 * What happened to security-relevant things: appended, never changed, kept for {@link auditRetentionMs}.
 * Nothing secret goes in, and no address of somebody who has no account here.
 */
export class Audit {
  readonly #store: AuditStore
  readonly #clock: Clock
  readonly #digestKey: Uint8Array
  readonly #counts = new Map<AuditKind, number>()

  constructor({ store, secrets, clock }: { store: AuditStore; secrets: Secrets; clock: Clock }) {
    this.#store = store
    this.#clock = clock
    this.#digestKey = secrets.keyFor('audit digest')
  }

  /** Records an event that belongs to no other write. Await it before responding. */
  record(happening: Happening): Promise<void> {
    return this.#store.append(this.#eventOf(happening))
  }

  /**
   * Returns the argument with which a store method records its outcome, in the same transaction.
   *
   * @param happeningOf what to record; `undefined` when nothing happened. Pure: a retry calls it again.
   */
  recording<Outcome>(happeningOf: (outcome: Outcome) => Happening | undefined): Recording<Outcome> {
    return (outcome) => {
      const happening = happeningOf(outcome)
      return happening && this.#eventOf(happening)
    }
  }

  /**
   * Stands in the record for an account that does not exist: repeated guesses at one can be told from guesses
   * at many, and nobody can read whose address it was.
   */
  digestOfUnknown(account: string): string {
    return createHmac('sha256', this.#digestKey).update(account).digest('base64url').slice(0, digestCharacters)
  }

  /** The user's own events, newest first. From where the operator works is not theirs to know. */
  async ofUser(userId: UserId, page: AuditPage): Promise<ShownEvent[]> {
    const events = await this.#store.listOfUser(userId, page)
    return events.map((event) => (event.actor === 'operator' ? withoutOrigin(event) : event))
  }

  /**
   * The application's events as its owner may see them, newest first. The people who use it are known to it by
   * their ids; from where they browse is none of its owner's business.
   */
  async ofApplication(applicationId: ApplicationId, ownerId: UserId, page: AuditPage): Promise<ShownEvent[]> {
    const events = await this.#store.listOfApplication(applicationId, page)
    return events.map((event) => {
      const own = event.actor === 'client' || (event.actor === 'user' && event.userId === ownerId)
      return own ? event : withoutOrigin(event)
    })
  }

  /** Events with a higher number, oldest first, for export. None that a loss of power could still undo. */
  after(number: number, atMost: number): Promise<AuditEvent[]> {
    return this.#store.listAfter(number, atMost)
  }

  /** How many happenings of each kind there were since the start of the process, one or two more when writes failed. */
  get counts(): ReadonlyMap<AuditKind, number> {
    return this.#counts
  }

  /** Deletes at most `atMost` events that were kept long enough; returns how many. Repeat while it is many. */
  prune(atMost: number): Promise<number> {
    return this.#store.prune(this.#clock.nowMs() - auditRetentionMs, atMost)
  }

  #eventOf({ kind, actor, origin, userId, applicationId, botId, detail = {} }: Happening): NewAuditEvent {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    return {
      atMs: this.#clock.nowMs(),
      kind,
      actor,
      userId: userId ?? null,
      applicationId: applicationId ?? null,
      botId: botId ?? null,
      address: origin.address,
      userAgent: origin.userAgent?.slice(0, auditUserAgentMaxCharacters) ?? null,
      detail: Object.fromEntries(
        Object.entries(detail).map(([name, words]) => [name, words.slice(0, auditDetailMaxCharacters)]),
      ),
    }
  }
}

function withoutOrigin(event: ShownEvent): ShownEvent {
  return { ...event, address: null, userAgent: null }
}
