import { createHmac } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { ApplicationId, BotId, PersonalTokenId, Secrets, UserId } from '../ids-and-secrets.ts'
import { network, PartyBudgets } from '../limits/budget.ts'
import * as limits from '../limits/limits.ts'
import { Refusal } from '../refusal.ts'

/** `src/pages/words/activity.ts` has a text for each kind. */
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

/** A user on a page, an application with its credentials, the holder of an operator key, or an unknown caller. */
export const auditActors = ['user', 'client', 'operator', 'nobody'] as const
export type AuditActor = (typeof auditActors)[number]

export interface Origin {
  userAgent: string | undefined
  /** In canonical form. */
  address: string
  /** Number of the session that authenticated the request. */
  session?: number
  /** Authenticated the request. Every event's detail records its ID and name. */
  token?: TokenOfOrigin
}

interface TokenOfOrigin {
  id: PersonalTokenId
  name: string
}

export function tokenForAudit({ id, name }: TokenOfOrigin): Record<string, string> {
  return { personalTokenId: id, personalTokenName: name }
}

export interface AuditEntry {
  kind: AuditKind
  actor: AuditActor
  origin: Origin
  /** The user that the event concerns. Not always the actor. */
  userId?: UserId | undefined
  applicationId?: ApplicationId | undefined
  botId?: BotId | undefined
  /** Never contains secrets. The only free text from users is the names of their objects. */
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
  /** Number of the session, or ID of the token, that authenticated the recorded write. Not stored. */
  by?: number | PersonalTokenId | undefined
}

/** Derives an event to append in a write's transaction. Must be pure, because a retried transaction calls it again. */
export type Recording<Outcome> = (outcome: Outcome) => NewAuditEvent | undefined

/**
 * A store's method that appends the audit event that `recording` derives, if any, in the same transaction. Writes nothing
 * and throws {@link AccessEnded} if what authenticated the write has ended since.
 */
export type Recorded<Parameters extends readonly unknown[], Outcome> = (
  ...parameters: [...Parameters, recording?: Recording<Outcome> | undefined]
) => Promise<Outcome>

export interface AuditEvent extends Omit<NewAuditEvent, 'by'> {
  /** Assigned in commit order: a reader that has seen an event has seen all events with lower numbers. */
  number: number
}

/** With the current names of the objects that the event concerns. */
export interface ShownEvent extends AuditEvent {
  /** `null` also if the application was deleted together with its owner. */
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
  /** Exclusive. `undefined` starts at the newest event. */
  before: number | undefined
  atMost: number
}

/** Append-only, in commit order; retention deletes the oldest. One transaction each. Other stores append theirs. */
export interface AuditStore {
  /** Resolves once the event is on disk. */
  append(event: NewAuditEvent): Promise<void>
  listOfUser(userId: UserId, page: AuditPage): Promise<ShownEvent[]>
  /** @param ownerId the reader. */
  listOfApplication(applicationId: ApplicationId, ownerId: UserId, page: AuditPage): Promise<ShownEvent[]>
  /** Oldest first. Omits events that a power failure could still undo. */
  listAfter(number: number, atMost: number): Promise<AuditEvent[]>
  /** Oldest first. Returns the number deleted. */
  prune(beforeMs: number, atMost: number): Promise<number>
}

/** Too many changes from the same network have been recorded lately. */
export class TooManyActs extends Refusal<'too-many-acts'> {
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('too-many-acts')
    this.retryAfterMs = retryAfterMs
  }
}

/** The session or token that authenticated a change ended before the change was stored. */
export class AccessEnded extends Refusal<'access-ended'> {
  constructor() {
    super('access-ended')
  }
}

/** Security-relevant events, without secrets, and without email addresses of people who have no account. */
export class Audit {
  readonly #store: AuditStore
  readonly #clock: Clock
  readonly #digestKey: Uint8Array
  readonly #counts = new Map<AuditKind, number>()
  // Limit what users add to this log (decision 0014). A user's share is counted per network, so that someone with a
  // stolen session can't use up the share that its owner has elsewhere.
  readonly #ofUsers = new PartyBudgets(limits.auditedActsPerUser, limits.auditedActsPartiesMax)
  readonly #ofNetworks = new PartyBudgets(limits.auditedActsPerNetwork, limits.auditedActsPartiesMax)

  constructor({ store, secrets, clock }: { store: AuditStore; secrets: Secrets; clock: Clock }) {
    this.#store = store
    this.#clock = clock
    this.#digestKey = secrets.keyFor('audit digest')
  }

  /** For an event that isn't part of another write. Await it before responding. */
  record(entry: AuditEntry): Promise<void> {
    return this.#store.append({ ...this.#eventOf(entry), by: undefined })
  }

  /** Lets a store method record its outcome in the same transaction. `entryOf` must be pure: retries repeat it. */
  recording<Outcome>(entryOf: (outcome: Outcome) => AuditEntry | undefined): Recording<Outcome> {
    return (outcome) => {
      const entry = entryOf(outcome)
      return entry && this.#eventOf(entry)
    }
  }

  /** Like {@link recording}, for an entry that only one outcome, or one kind of outcome, records. */
  recordingOf<Outcome>(recorded: NoInfer<KindOf<Outcome>>, entry: AuditEntry): Recording<Outcome> {
    return this.recording((outcome) => (kindOf(outcome) === recorded ? entry : undefined))
  }

  /** Checks before a change that the user may make another audited one. Throws TooManyActs. */
  demandShare(userId: UserId, { address }: Pick<Origin, 'address'>): void {
    const nowMs = this.#clock.nowMs()
    const from = network(address)
    const waitMs = Math.max(this.#ofUsers.waitMs(`${userId} ${from}`, nowMs), this.#ofNetworks.waitMs(from, nowMs))
    if (waitMs > 0) throw new TooManyActs(waitMs)
  }

  /** Public so that a test can use up a share. */
  countAct(userId: UserId, address: string, nowMs: number): void {
    const from = network(address)
    this.#ofUsers.spend(`${userId} ${from}`, 1, nowMs)
    this.#ofNetworks.spend(from, 1, nowMs)
  }

  /** Tells guesses at one unknown account from guesses at many, without revealing the address. Fits on a line. */
  digestOfUnknown(account: string): string {
    return createHmac('sha256', this.#digestKey).update(account).digest('base64url').slice(0, 22)
  }

  /** Newest first. Hides the operator's address and browser. */
  async ofUser(userId: UserId, page: AuditPage): Promise<ShownEvent[]> {
    const events = await this.#store.listOfUser(userId, page)
    return events.map((event) => (event.actor === 'operator' ? withoutOrigin(event) : event))
  }

  /** For the owner, newest first. Shows the address and browser only of actions by the owner or the application. */
  async ofApplication(applicationId: ApplicationId, ownerId: UserId, page: AuditPage): Promise<ShownEvent[]> {
    const events = await this.#store.listOfApplication(applicationId, ownerId, page)
    return events.map((event) => {
      const own = event.actor === 'client' || (event.actor === 'user' && event.userId === ownerId)
      return own ? event : withoutOrigin(event)
    })
  }

  after(number: number, atMost: number): Promise<AuditEvent[]> {
    return this.#store.listAfter(number, atMost)
  }

  /** Since the process started. Slightly too high if writes failed or were retried. */
  get counts(): ReadonlyMap<AuditKind, number> {
    return this.#counts
  }

  /** Deletes up to `atMost` events that are past the retention period. Returns the number deleted. */
  prune(atMost: number): Promise<number> {
    return this.#store.prune(this.#clock.nowMs() - limits.auditRetentionMs, atMost)
  }

  #eventOf({ kind, actor, origin, userId, applicationId, botId, detail = {} }: AuditEntry): NewAuditEvent {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    const atMs = this.#clock.nowMs()
    if (actor === 'user' && userId !== undefined) this.countAct(userId, origin.address, atMs)
    return {
      atMs,
      kind,
      actor,
      userId: userId ?? null,
      applicationId: applicationId ?? null,
      botId: botId ?? null,
      address: origin.address,
      userAgent: origin.userAgent?.slice(0, limits.auditUserAgentMaxCharacters) ?? null,
      // Users can end the session that they are in.
      by: actor === 'user' && kind !== 'session-ended' ? (origin.session ?? origin.token?.id) : undefined,
      detail: Object.fromEntries(
        Object.entries({ ...detail, ...(origin.token && tokenForAudit(origin.token)) }).map(([name, words]) => [
          name,
          words.slice(0, limits.auditDetailMaxCharacters),
        ]),
      ),
    }
  }
}

type KindOf<Outcome> = Outcome extends { kind: infer Kind } ? Kind : Outcome

function kindOf(outcome: unknown): unknown {
  return typeof outcome === 'object' && outcome !== null && 'kind' in outcome ? outcome.kind : outcome
}

function withoutOrigin(event: ShownEvent): ShownEvent {
  return { ...event, address: null, userAgent: null }
}
