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
 * Returns a function that publishes new audit events for the owners of applications. A crash loses none: the position is
 * stored afterwards.
 */
export function createAuditReader(parts: {
  announcements: AnnouncementStore
  audit: Pick<Audit, 'after'>
  applications: Pick<ApplicationStore, 'findById'>
  publisher: Publisher
  idKey: Uint8Array
  onFault: OnFault
}) {
  const { announcements, audit, applications, publisher, idKey, onFault } = parts

  /** Reports and skips an event that can't be published, so that later ones follow. Throws StoreUnavailable. */
  async function publishOrReport(event: AuditEvent): Promise<void> {
    try {
      await publish(event)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      onFault(error, 'audit event publication', { number: event.number })
    }
  }

  async function publish(event: AuditEvent): Promise<void> {
    const derive = derivations[event.kind]
    if (derive === undefined || event.applicationId === null) return
    const application = await applications.findById(event.applicationId)
    if (application === undefined) return
    const { type, data } = derive(event)
    await publisher.publish({
      id: eventIdOf(idKey, `audit ${event.number}`),
      type,
      ownerId: application.ownerId,
      atMs: event.atMs,
      data: { ...identified(application), ...data },
    })
  }

  /** @throws StoreUnavailable */
  return async (): Promise<void> => {
    let number = await announcements.auditReadTo()
    let events: AuditEvent[] = []
    if (number === undefined) return
    do {
      events = await audit.after(number, limits.auditEventsPerRead)
      for (const event of events) await publishOrReport(event)
      number = events.at(-1)?.number ?? number
      if (events.length > 0) await announcements.setAuditReadTo(number)
    } while (events.length === limits.auditEventsPerRead)
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
