import { type ApplicationId, asClientId, newId, type UserId } from '../ids.ts'

/** Returns the initial fields of a new application, including a new client ID. */
export function newApplication(id: ApplicationId, ownerId: UserId | null, nowMs: number) {
  return {
    id,
    clientId: asClientId(`svc_ci_${newId()}`),
    ownerId,
    firstParty: false,
    requirePkce: false,
    verified: false,
    disabled: false,
    createdAtMs: nowMs,
  }
}
