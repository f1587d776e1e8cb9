import type { Application } from '../../src/domain/applications/application-store.ts'
import { asClientId, parseApplicationId, parseUserId } from '../../src/domain/ids-and-secrets.ts'

/** Returns an application of Ada that is not stored yet. */
export function anApplication(id: string, change: Partial<Application> = {}): Application {
  return {
    id: parseApplicationId(id)!,
    clientId: asClientId(`svc_ci_${id}`),
    ownerId: parseUserId('ada')!,
    name: id,
    websiteUrl: 'https://a.example',
    environment: 'production',
    firstParty: false,
    requirePkce: false,
    verified: false,
    disabled: false,
    redirectUris: [],
    createdAtMs: 1_000,
    ...change,
  }
}
