import type { KeptFormStore } from '../../domain/accounts/kept-forms.ts'
import type { LinkedAccountStore } from '../../domain/accounts/linked-accounts/linked-account-store.ts'
import type { MailStore } from '../../domain/accounts/mail/mail.ts'
import type { PasskeyStore } from '../../domain/accounts/passkeys/passkey-store.ts'
import type { PersonalTokenStore } from '../../domain/accounts/personal-tokens/personal-token-store.ts'
import type { OneTimeLinkStore } from '../../domain/accounts/recovery/one-time-link-store.ts'
import type { SessionStore } from '../../domain/accounts/sessions/session.ts'
import type { UserStore } from '../../domain/accounts/user-store.ts'
import type { ApplicationStore } from '../../domain/applications/application-store.ts'
import type { RequestLogStore } from '../../domain/applications/request-log.ts'
import type { AuditStore } from '../../domain/audit/audit.ts'
import type { AttemptStore } from '../../domain/authorization/attempts.ts'
import type { GrantStore } from '../../domain/authorization/grant-store.ts'
import type { ScopeStore } from '../../domain/authorization/scope.ts'
import type { BotStore } from '../../domain/bots/bot.ts'
import type { FlowStore } from '../../domain/bots/flows/flow.ts'
import type { InvitationStore } from '../../domain/bots/invitations.ts'
import type { RuntimeStore } from '../../domain/bots/runtimes/runtime.ts'
import type { RuntimeConnectionStore } from '../../domain/bots/runtimes/runtime-connections.ts'
import type { RuntimeLogStore } from '../../domain/bots/runtimes/runtime-logs.ts'
import type { StatusChangeStore } from '../../domain/bots/status/incidents.ts'
import type { SnapshotStore } from '../../domain/bots/status/snapshots.ts'
import type { StatusHistoryStore } from '../../domain/bots/status/status-history-store.ts'
import type { StatusNoticeStore } from '../../domain/bots/status/status-notice.ts'
import type { StatusMailStore } from '../../domain/bots/status-mail/status-mail-store.ts'
import type { OperatorKeyStore } from '../../domain/operators/operator-keys.ts'
import type { PersonStore } from '../../domain/people/people.ts'
import type { ProfileStore } from '../../domain/profile/profile.ts'
import type { AnnouncementStore } from '../../domain/subscriptions/bot-watch.ts'
import type { SubscriptionStore } from '../../domain/subscriptions/subscription-store.ts'
import type { ListenerStore } from '../../domain/webhooks/listener.ts'
import type { RefusedWebhookStore } from '../../domain/webhooks/refusal-log.ts'

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
