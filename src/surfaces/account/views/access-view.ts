import type { ListedSession } from '../../../domain/accounts/sessions/session-store.ts'
import type { Text } from '../../../pages/html.ts'

export interface AccessView {
  /** The `number` of the current session in `sessions`. */
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
  /** When one of the application's access tokens was last used, accurate to the minute. `null` if never. */
  lastUsedAtMs: number | null
}
