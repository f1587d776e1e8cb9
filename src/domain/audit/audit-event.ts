import type { ApplicationId, BotId, PersonalTokenId, UserId } from '../ids.ts'

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

export interface TokenOfOrigin {
  id: PersonalTokenId
  /** Name that the user gave the token. */
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
   * users is names.
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

/** An event for display, with the current name of its application. */
export interface ShownEvent extends AuditEvent {
  /**
   * Name of the event's application. `null` if the event does not concern an application, or if the application was
   * deleted together with its owner.
   */
  applicationName: string | null
}
