import type {
  PersonalTokenScope,
  StoredPersonalToken,
} from '../../domain/accounts/personal-tokens/personal-token-store.ts'
import type { Actor } from '../../domain/bots/bot-access.ts'
import type { Operation, RequestOf, ResponseOf, Route } from '../../rest/operation.ts'

/** A call of the API for owners. */
export interface OwnerOperation extends Operation {
  /** The scope that the token needs. `null` if every token may make the call. */
  scope: PersonalTokenScope | null
}

/** The user whose token authenticated the request, and the token. */
export interface OwnerCaller {
  by: Actor
  token: StoredPersonalToken
}

export type OwnerRoute = Route<OwnerCaller, OwnerOperation>

/** Pairs an API call with a handler whose types are derived from the call's schemas. */
export function ownerRoute<O extends OwnerOperation>(
  operation: O,
  handle: (request: RequestOf<O> & { caller: OwnerCaller }) => Promise<ResponseOf<O['responses']>>,
): OwnerRoute {
  return { operation, handle: handle as OwnerRoute['handle'] }
}
