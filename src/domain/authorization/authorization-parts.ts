import type { Clients } from '../applications/clients.ts'
import type { RequestLog } from '../applications/request-log.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Secrets } from '../secret.ts'
import type { GrantStore } from './grant-store.ts'
import type { ScopeStore } from './scope.ts'

export interface AuthorizationParts {
  clients: Clients
  requests: RequestLog
  grants: GrantStore
  scopes: ScopeStore
  audit: Audit
  secrets: Secrets
  clock: Clock
  /** Test runs end at the developer portal. */
  portalUrl: string
}
