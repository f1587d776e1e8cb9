import type { NewAuditEvent } from '../../src/domain/audit/audit.ts'

/** An event that the database rejects. */
export const unstorableEvent: NewAuditEvent = { ...anEvent(0), actor: 'somebody' as 'nobody' }

export function anEvent(atMs: number): NewAuditEvent {
  return {
    atMs,
    kind: 'sign-in',
    actor: 'user',
    userId: null,
    applicationId: null,
    botId: null,
    address: '203.0.113.7',
    userAgent: null,
    detail: {},
  }
}
