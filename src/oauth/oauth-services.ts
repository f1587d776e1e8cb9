import type { Applications } from '../domain/applications/applications.ts'
import type { RequestLog } from '../domain/applications/request-log.ts'
import type { Authorization } from '../domain/authorization/authorization.ts'
import type { OperatorKeys } from '../domain/operators/operator-keys.ts'
import type { Profile } from '../domain/profile/profile.ts'
import type { ClientAuthentication } from './client-authentication.ts'

/** What the endpoints under `/api/oauth` can use. */
export interface OAuthServices {
  authorization: Pick<Authorization, 'attempts' | 'tokens' | 'liveTokens'>
  applications: Pick<Applications, 'clients'>
  clients: ClientAuthentication
  operatorKeys: OperatorKeys
  profile: Profile
  requests: RequestLog
}
