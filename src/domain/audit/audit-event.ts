import type { ApplicationId, BotId, UserId } from '../ids.ts'

/** All that is recorded. The pages have words for each; see `src/pages/words/activity.ts`. */
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
  'events-replayed',
  'events-discarded',
  'events-tried-now',
  'provisioned',
] as const
export type AuditKind = (typeof auditKinds)[number]

/** Who did it: a person at a page, an application with its credentials, the holder of the operator key, or nobody known. */
export const auditActors = ['user', 'client', 'operator', 'nobody'] as const
export type AuditActor = (typeof auditActors)[number]

/** Where a request came from, as far as the network tells. */
export interface Origin {
  userAgent: string | undefined
  /** Client address in its canonical spelling. */
  address: string
}

/** What a room says of something that happened. */
export interface Happening {
  kind: AuditKind
  actor: AuditActor
  origin: Origin
  /** Whom it is about, which need not be who did it. */
  userId?: UserId | undefined
  applicationId?: ApplicationId | undefined
  botId?: BotId | undefined
  /** A few words, none of them secret: names of members, kinds, scopes. Never a value somebody typed in. */
  detail?: Readonly<Record<string, string>>
}

/** A happening as it is kept. */
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
 * Returns the event to append in the transaction of a write, from the write's outcome; `undefined` when there is
 * nothing to record. It is called again when the transaction is retried, so it must not depend on earlier calls.
 */
export type Recording<Outcome> = (outcome: Outcome) => NewAuditEvent | undefined

export interface AuditEvent extends NewAuditEvent {
  /** Ascends in the order of commits: whoever has seen a number has missed no lower one. */
  number: number
}

/** An event for a page, with what its application is called now. */
export interface ShownEvent extends AuditEvent {
  /** Null when it is about none. */
  applicationName: string | null
}
