import type { Application, ApplicationStore } from '../applications/application-store.ts'
import type { Audit, AuditEvent, AuditKind } from '../audit/audit.ts'
import type { OnFault } from '../background-work.ts'
import * as limits from '../limits/limits.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import type { AnnouncementStore } from './bot-watch.ts'
import { type EventType, eventIdOf } from './outgoing-event.ts'
import type { Publisher } from './publisher.ts'

interface Derived {
  type: EventType
  data: Readonly<Record<string, unknown>>
}

/**
 * Publishes audit events that concern the owners of applications. A crash loses no event: each change stores its audit
 * event in the same transaction, and the position in the audit log is stored only after publishing.
 */
export class AuditSource {
  readonly #announcements: AnnouncementStore
  readonly #audit: Pick<Audit, 'after'>
  readonly #applications: Pick<ApplicationStore, 'findById'>
  readonly #publisher: Publisher
  readonly #idKey: Uint8Array
  readonly #onFault: OnFault

  constructor(parts: {
    announcements: AnnouncementStore
    audit: Pick<Audit, 'after'>
    applications: Pick<ApplicationStore, 'findById'>
    publisher: Publisher
    idKey: Uint8Array
    onFault: OnFault
  }) {
    this.#announcements = parts.announcements
    this.#audit = parts.audit
    this.#applications = parts.applications
    this.#publisher = parts.publisher
    this.#idKey = parts.idKey
    this.#onFault = parts.onFault
  }

  /**
   * Publishes all audit events since the last call.
   *
   * @throws StoreUnavailable
   */
  async read(): Promise<void> {
    let number = await this.#announcements.auditReadTo()
    let events: AuditEvent[] = []
    if (number === undefined) return
    do {
      events = await this.#audit.after(number, limits.auditEventsPerRead)
      for (const event of events) await this.#publishOrReport(event)
      number = events.at(-1)?.number ?? number
      if (events.length > 0) await this.#announcements.setAuditReadTo(number)
    } while (events.length === limits.auditEventsPerRead)
  }

  /**
   * Publishes an event. An event that can't be published is reported and skipped, so that it doesn't hold back later
   * events.
   *
   * @throws StoreUnavailable
   */
  async #publishOrReport(event: AuditEvent): Promise<void> {
    try {
      await this.#publish(event)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      this.#onFault(error, 'audit event publication', { number: event.number })
    }
  }

  async #publish(event: AuditEvent): Promise<void> {
    const derive = derivations[event.kind]
    if (derive === undefined || event.applicationId === null) return
    const application = await this.#applications.findById(event.applicationId)
    if (application === undefined) return
    const { type, data } = derive(event)
    await this.#publisher.publish({
      id: eventIdOf(this.#idKey, `audit ${event.number}`),
      type,
      ownerId: application.ownerId,
      atMs: event.atMs,
      data: { ...identified(application), ...data },
    })
  }
}

function identified({ id, clientId, name }: Application) {
  return { applicationId: id, clientId, applicationName: name }
}

const derivations: Partial<Record<AuditKind, (event: AuditEvent) => Derived>> = {
  'refresh-reuse': ({ userId, detail }) => ({
    type: 'refresh_token.reused',
    data: { userId, probableCause: detail.probably?.replace(' ', '_') ?? null },
  }),
  'consent-withdrawn': ({ userId }) => ({ type: 'authorization.revoked', data: { userId } }),
  'secret-revoked': secretRevoked,
  'secret-rotated': secretRevoked,
}

function secretRevoked({ detail }: AuditEvent): Derived {
  const { lastFour = null, lastUsedAt = null } = detail
  return { type: 'client_secret.revoked', data: { lastFour, lastUsedAt } }
}
