import { consentOperation } from '../surfaces/consent/contract.ts'
import { introspectOperation } from '../surfaces/introspect/contract.ts'
import { pushedRequestOperation } from '../surfaces/pushed-request/contract.ts'
import { revokeOperation } from '../surfaces/revoke/contract.ts'
import { tokenOperation } from '../surfaces/token/contract.ts'
import { userinfoOperation } from '../surfaces/userinfo/contract.ts'

/** The OAuth operations, as shown in the OpenAPI description and in the portal's reference. */
export const describedOperations = [
  consentOperation,
  tokenOperation,
  userinfoOperation,
  revokeOperation,
  introspectOperation,
  pushedRequestOperation,
]
