import type { ListedSession } from '../../../domain/accounts/sessions/session-store.ts'
import type { Text } from '../../../pages/html.ts'

/** The sessions and consents of an account. */
export interface AccessView {
  /** Number of the current session. */
  thisSession: number
  sessions: readonly ListedSession[]
  applications: readonly ApplicationAccess[]
}

/** An application that the user has consented to. */
export interface ApplicationAccess {
  id: string
  name: string
  websiteHost: string
  /** Its scopes, described. */
  scopes: readonly Text[]
  firstGrantedAtMs: number
  /** To the minute; `null` means never. */
  lastUsedAtMs: number | null
}
