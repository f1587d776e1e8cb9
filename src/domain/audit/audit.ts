import { createHmac } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { ApplicationId, BotId, PersonalTokenId, UserId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import type { Secrets } from '../secret.ts'
import { AuditShares } from './audit-shares.ts'

/** All kinds of recorded events. `src/pages/words/activity.ts` has a text for each kind. */
export const auditKinds = [
  'sign-in',
  'sign-in-failed',
  'pin-locked',
  'pin-changed',
  'password-changed',
  'email-changed',
  'session-ended',
  'passkey-added',
  'passkey-removed',
  'account-linked',
  'account-unlinked',
  'grant',
  'consent-withdrawn',
  'refresh-reuse',
  'code-replay',
  'revoke',
  'application-registered',
  'application-changed',
  'application-deleted',
  'secret-rotated',
  'secret-added',
  'secret-revoked',
  'flow-changed',
  'flow-key-made',
  'flow-key-ended',
  'runtime-made',
  'runtime-removed',
  'runtime-key-made',
  'runtime-key-ended',
  'bot-changed',
  'coworker-put',
  'coworker-removed',
  'coworker-invited',
  'invitation-accepted',
  'invitation-ended',
  'webhook-tested',
  'events-replayed',
  'events-discarded',
  'events-tried-now',
  'flow-created',
  'flow-removed',
  'personal-token-created',
  'personal-token-revoked',
  'subscription-created',
  'subscription-changed',
  'subscription-secret-rotated',
  'subscription-removed',
  'provisioned',
  'operator-key-rejected',
] as const
export type AuditKind = (typeof auditKinds)[number]

/**
 * Kinds of actors: a user on a page, an application with its credentials, the holder of an operator key, or an unknown
 * caller.
 */
export const auditActors = ['user', 'client', 'operator', 'nobody'] as const
export type AuditActor = (typeof auditActors)[number]

export interface Origin {
  userAgent: string | undefined
  /** Client address in canonical form. */
  address: string
  /** The personal access token that authenticated the request. Every event's detail records the token's ID and name. */
  token?: TokenOfOrigin
}

interface TokenOfOrigin {
  id: PersonalTokenId
  name: string
}

/** Returns the members of an event's detail that identify a personal access token. */
export function tokenForAudit({ id, name }: TokenOfOrigin): Record<string, string> {
  return { personalTokenId: id, personalTokenName: name }
}

export interface AuditEntry {
  kind: AuditKind
  actor: AuditActor
  origin: Origin
  /** The user whom the event concerns. Not always the actor. */
  userId?: UserId | undefined
  applicationId?: ApplicationId | undefined
  botId?: BotId | undefined
  /**
   * Short details, such as IDs, scopes or names of changed fields. Never contains secrets. The only free text from
   * users is the names of their objects.
   */
  detail?: Readonly<Record<string, string>>
}

export interface NewAuditEvent {
  atMs: number
  kind: AuditKind
  actor: AuditActor
  userId: UserId | null
  applicationId: ApplicationId | null
  botId: BotId | null
  address: string | null
  userAgent: string | null
  detail: Readonly<Record<string, string>>
}

/**
 * Derives an audit event from the outcome of a write. The event is appended in the write's transaction. Returns
 * `undefined` if there is nothing to record. A retried transaction calls the function again, so the result must not
 * depend on earlier calls.
 */
export type Recording<Outcome> = (outcome: Outcome) => NewAuditEvent | undefined

export interface AuditEvent extends NewAuditEvent {
  /**
   * Number of the event, assigned in commit order. A reader that has seen an event has therefore seen all events with
   * lower numbers.
   */
  number: number
}

/** An event for display, with the current names of the objects that it concerns. */
export interface ShownEvent extends AuditEvent {
  /**
   * Name of the event's application. `null` if the event does not concern an application, or if the application was
   * deleted together with its owner.
   */
  applicationName: string | null
  names: ObjectNames
}

/** Names of objects that still exist and that the reader may open. The others are `null`. */
export interface ObjectNames {
  application: string | null
  bot: string | null
  flow: string | null
  runtime: string | null
  /** Name of the collaborator in the event's detail. */
  coworker: string | null
  subscription: string | null
}

export interface AuditPage {
  /** Exclusive upper bound for event numbers. `undefined` starts at the newest event. */
  before: number | undefined
  atMost: number
}

/**
 * Stores audit events in commit order. Append-only, except that retention deletes the oldest events. Each method runs
 * in one transaction. Other stores append the events for their own writes, in the same transaction; see
 * {@link Recording}.
 */
export interface AuditStore {
  /** Appends the event. Resolves once the event is on disk. */
  append(event: NewAuditEvent): Promise<void>
  listOfUser(userId: UserId, page: AuditPage): Promise<ShownEvent[]>
  /** @param ownerId the reader. */
  listOfApplication(applicationId: ApplicationId, ownerId: UserId, page: AuditPage): Promise<ShownEvent[]>
  /** Returns events with a higher number, oldest first. Omits events that a power failure could still undo. */
  listAfter(number: number, atMost: number): Promise<AuditEvent[]>
  /** Deletes up to `atMost` events older than `beforeMs`, oldest first. Returns the number deleted. */
  prune(beforeMs: number, atMost: number): Promise<number>
}

/** Number of digest characters to keep: enough to tell accounts apart, and short enough to fit on a line. */
const digestCharacters = 22

/**
 * The audit log of security-relevant events. Append-only, kept for {@link auditRetentionMs}. Contains no secrets, and
 * no email addresses of people without an account.
 */
export class Audit {
  readonly #store: AuditStore
  readonly #clock: Clock
  readonly #digestKey: Uint8Array
  readonly #counts = new Map<AuditKind, number>()
  /** What {@link demandShare} checks. Public so that a test can use up a share. */
  readonly shares = new AuditShares()

  constructor({ store, secrets, clock }: { store: AuditStore; secrets: Secrets; clock: Clock }) {
    this.#store = store
    this.#clock = clock
    this.#digestKey = secrets.keyFor('audit digest')
  }

  /** Records an event that isn't part of another write. Await it before responding. */
  record(entry: AuditEntry): Promise<void> {
    return this.#store.append(this.#eventOf(entry))
  }

  /**
   * Returns a callback with which a store method records its outcome in the same transaction.
   *
   * @param entryOf returns the entry to record, or `undefined` to record nothing. Must be pure, because a retried
   * transaction calls it again.
   */
  recording<Outcome>(entryOf: (outcome: Outcome) => AuditEntry | undefined): Recording<Outcome> {
    return (outcome) => {
      const entry = entryOf(outcome)
      return entry && this.#eventOf(entry)
    }
  }

  /**
   * Checks that the user may make another audited change. Call it before the change.
   *
   * @throws TooManyActs
   */
  demandShare(userId: UserId, { address }: Pick<Origin, 'address'>): void {
    this.shares.check(userId, address, this.#clock.nowMs())
  }

  /**
   * Returns a digest to record in place of an unknown account. The digest distinguishes repeated guesses at one account
   * from guesses at many, without revealing the address.
   */
  digestOfUnknown(account: string): string {
    return createHmac('sha256', this.#digestKey).update(account).digest('base64url').slice(0, digestCharacters)
  }

  /** Returns the user's own events, newest first. Hides the operator's address and browser. */
  async ofUser(userId: UserId, page: AuditPage): Promise<ShownEvent[]> {
    const events = await this.#store.listOfUser(userId, page)
    return events.map((event) => (event.actor === 'operator' ? withoutOrigin(event) : event))
  }

  /**
   * Returns the application's events for its owner, newest first. Shows the address and browser only for actions by the
   * owner or by the application itself.
   */
  async ofApplication(applicationId: ApplicationId, ownerId: UserId, page: AuditPage): Promise<ShownEvent[]> {
    const events = await this.#store.listOfApplication(applicationId, ownerId, page)
    return events.map((event) => {
      const own = event.actor === 'client' || (event.actor === 'user' && event.userId === ownerId)
      return own ? event : withoutOrigin(event)
    })
  }

  /**
   * Returns events with a higher number, oldest first, for export. Omits events that a power failure could still undo.
   */
  after(number: number, atMost: number): Promise<AuditEvent[]> {
    return this.#store.listAfter(number, atMost)
  }

  /** Number of events per kind since the process started. Slightly too high if writes failed or were retried. */
  get counts(): ReadonlyMap<AuditKind, number> {
    return this.#counts
  }

  /**
   * Deletes up to `atMost` events that are past the retention period. Returns the number deleted. If the number equals
   * `atMost`, more such events may be left.
   */
  prune(atMost: number): Promise<number> {
    return this.#store.prune(this.#clock.nowMs() - limits.auditRetentionMs, atMost)
  }

  #eventOf({ kind, actor, origin, userId, applicationId, botId, detail = {} }: AuditEntry): NewAuditEvent {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    if (actor === 'user' && userId !== undefined) this.shares.count(userId, origin.address, this.#clock.nowMs())
    return {
      atMs: this.#clock.nowMs(),
      kind,
      actor,
      userId: userId ?? null,
      applicationId: applicationId ?? null,
      botId: botId ?? null,
      address: origin.address,
      userAgent: origin.userAgent?.slice(0, limits.auditUserAgentMaxCharacters) ?? null,
      detail: Object.fromEntries(
        Object.entries({ ...detail, ...(origin.token && tokenForAudit(origin.token)) }).map(([name, words]) => [
          name,
          words.slice(0, limits.auditDetailMaxCharacters),
        ]),
      ),
    }
  }
}

function withoutOrigin(event: ShownEvent): ShownEvent {
  return { ...event, address: null, userAgent: null }
}
