import type { KeptFormStore } from '../../domain/accounts/kept-form-store.ts'
import type { LinkedAccountStore } from '../../domain/accounts/linked-accounts/linked-account-store.ts'
import type { MailStore } from '../../domain/accounts/mail/mail-store.ts'
import type { PasskeyStore } from '../../domain/accounts/passkeys/passkey-store.ts'
import type { PersonalTokenStore } from '../../domain/accounts/personal-tokens/personal-token-store.ts'
import type { OneTimeLinkStore } from '../../domain/accounts/recovery/one-time-link-store.ts'
import type { SessionStore } from '../../domain/accounts/sessions/session-store.ts'
import type { UserStore } from '../../domain/accounts/user-store.ts'
import type { ApplicationStore } from '../../domain/applications/application-store.ts'
import type { RequestLogStore } from '../../domain/applications/request-log-store.ts'
import type { AuditStore } from '../../domain/audit/audit-store.ts'
import type { AttemptStore } from '../../domain/authorization/attempt-store.ts'
import type { GrantStore } from '../../domain/authorization/grant-store.ts'
import type { ScopeStore } from '../../domain/authorization/scope-store.ts'
import type { BotStore } from '../../domain/bots/bot-store.ts'
import type { FlowStore } from '../../domain/bots/flows/flow-store.ts'
import type { InvitationStore } from '../../domain/bots/invitation-store.ts'
import type { RuntimeConnectionStore } from '../../domain/bots/runtimes/runtime-connection.ts'
import type { RuntimeLogStore } from '../../domain/bots/runtimes/runtime-log-store.ts'
import type { RuntimeStore } from '../../domain/bots/runtimes/runtime-store.ts'
import type { SnapshotStore } from '../../domain/bots/status/snapshot-store.ts'
import type { StatusChangeStore } from '../../domain/bots/status/status-change-store.ts'
import type { StatusHistoryStore } from '../../domain/bots/status/status-history-store.ts'
import type { StatusNoticeStore } from '../../domain/bots/status/status-notice-store.ts'
import type { StatusMailStore } from '../../domain/bots/status-mail/status-mail-store.ts'
import type { OperatorKeyStore } from '../../domain/operators/operator-key-store.ts'
import type { PersonStore } from '../../domain/people/person-store.ts'
import type { ProfileStore } from '../../domain/profile/profile-store.ts'
import type { AnnouncementStore } from '../../domain/subscriptions/announcement-store.ts'
import type { SubscriptionStore } from '../../domain/subscriptions/subscription-store.ts'
import type { ListenerStore } from '../../domain/webhooks/listener.ts'

import type { RefusedWebhookStore } from '../../domain/webhooks/refused-webhook-store.ts'

/** All stores except the webhook queue. They share one database. */
export interface IdentityStores {
  users: UserStore
  sessions: SessionStore
  keptForms: KeptFormStore
  links: OneTimeLinkStore
  personalTokens: PersonalTokenStore
  mail: MailStore
  passkeys: PasskeyStore
  linkedAccounts: LinkedAccountStore
  audit: AuditStore
  operatorKeys: OperatorKeyStore
  applications: ApplicationStore
  requests: RequestLogStore
  grants: GrantStore
  attempts: AttemptStore
  scopes: ScopeStore
  bots: BotStore
  flows: FlowStore
  invitations: InvitationStore
  runtimes: RuntimeStore
  runtimeConnections: RuntimeConnectionStore
  runtimeLogs: RuntimeLogStore
  snapshots: SnapshotStore
  statusChanges: StatusChangeStore
  statusHistory: StatusHistoryStore
  statusNotices: StatusNoticeStore
  statusMail: StatusMailStore
  profiles: ProfileStore
  people: PersonStore
  listeners: ListenerStore
  subscriptions: SubscriptionStore
  announcements: AnnouncementStore
  refusedWebhooks: RefusedWebhookStore
}
