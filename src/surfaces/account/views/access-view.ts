import type { ListedSession } from '../../../domain/accounts/sessions/session-store.ts'
import type { Text } from '../../../pages/html.ts'

export interface AccessView {
  /** Number of the current session. */
  thisSession: number
  sessions: readonly ListedSession[]
  applications: readonly ApplicationAccess[]
}

export interface ApplicationAccess {
  id: string
  name: string
  websiteHost: string
  /** Descriptions of the granted scopes. */
  scopes: readonly Text[]
  firstGrantedAtMs: number
  /** Rounded to the minute. `null` means never. */
  lastUsedAtMs: number | null
}
