import type { ListedSession } from '../../../domain/accounts/sessions/session-store.ts'
import type { Text } from '../../../pages/html.ts'

/** Who has access to an account. */
export interface AccessView {
  /** Number of the session that looks. */
  thisSession: number
  sessions: readonly ListedSession[]
  applications: readonly ApplicationAccess[]
}

/** An application that was allowed something. */
export interface ApplicationAccess {
  id: string
  name: string
  websiteHost: string
  /** What it may do, in words. */
  scopes: readonly Text[]
  firstGrantedAtMs: number
  /** To the minute; null: never. */
  lastUsedAtMs: number | null
}
