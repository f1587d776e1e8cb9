import type { PersonalTokenScope, StoredPersonalToken } from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import type { Actor } from '../../domain/bots/bot-access.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Runtime } from '../../domain/bots/runtimes/runtime.ts'
import type { Clock } from '../../domain/clock.ts'
import type { EventAccess } from '../../domain/webhooks/event-access.ts'
import { type Api, newApi } from '../engine/api.ts'

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

export interface OwnerServices {
  bots: Bots
  clock: Clock
  eventAccess: EventAccess
}

/** Declares calls for holders of a personal access token that has the scope, one scope for GET and one for the rest. */
export function withScope(reading: PersonalTokenScope | null, writing = reading): Api<OwnerCaller> {
  return newApi((method) => (method === 'get' ? reading : writing))
}

export const withRuntimeKey = newApi<RuntimeCaller>(() => 'runtime-key')
