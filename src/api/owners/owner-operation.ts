import type {
  PersonalTokenScope,
  StoredPersonalToken,
} from '../../domain/accounts/personal-tokens/personal-token-store.ts'
import type { Actor } from '../../domain/bots/bot-access.ts'
import type { Runtime } from '../../domain/bots/runtimes/runtime.ts'
import type { Operation, RequestOf, ResponseOf, Route } from '../engine/operation.ts'

/** A call of the API for owners. */
export interface OwnerOperation extends Operation {
  /**
   * The scope that the token needs. `null` if every token may make the call. `runtime-key` if the call needs a runtime
   * key instead of a token.
   */
  scope: PersonalTokenScope | null | 'runtime-key'
}

/** The user whose token authenticated the request, and the token. */
export interface OwnerCaller {
  by: Actor
  token: StoredPersonalToken
}

/** The runtime whose key authenticated the request, the key, and the client's address. */
export interface RuntimeCaller {
  runtime: Runtime
  clearTextKey: string
  address: string
}

type CallerOf<O extends OwnerOperation> = O['scope'] extends 'runtime-key' ? RuntimeCaller : OwnerCaller

export type OwnerRoute = Route<OwnerCaller | RuntimeCaller, OwnerOperation>

/** Pairs an API call with a handler whose types are derived from the call's scope and schemas. */
export function ownerRoute<O extends OwnerOperation>(
  operation: O,
  handle: (request: RequestOf<O> & { caller: CallerOf<O> }) => Promise<ResponseOf<O['responses']>>,
): OwnerRoute {
  return { operation, handle: handle as OwnerRoute['handle'] }
}
