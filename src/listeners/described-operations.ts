import { consentOperation } from '../surfaces/consent/routes.ts'
import { introspectOperation } from '../surfaces/oauth/introspect.ts'
import { pushedRequestOperation } from '../surfaces/oauth/pushed-request.ts'
import { revokeOperation } from '../surfaces/oauth/revoke.ts'
import { tokenOperation } from '../surfaces/oauth/token.ts'
import { userinfoOperation } from '../surfaces/oauth/userinfo.ts'

/** The OAuth operations, as shown in the OpenAPI description and in the portal's reference. */
export const describedOperations = [
  consentOperation,
  tokenOperation,
  userinfoOperation,
  revokeOperation,
  introspectOperation,
  pushedRequestOperation,
]
