import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Secrets } from '../secret.ts'
import type { ApplicationStore } from './application-store.ts'
import { ClientSecrets } from './client-secrets.ts'
import { Clients } from './clients.ts'
import { OwnedApplications } from './owned-applications.ts'
import { ProvisionedApplications } from './provisioned-applications.ts'

export { ApplicationRefusal } from './application-refusal.ts'
export type { Application, ClientSecret, OwnedApplication } from './application-store.ts'
export type { Environment } from './redirect-uri.ts'

/** The application services. A committed change applies from the next request on, even if the store has a cache. */
export interface Applications {
  clients: Clients
  owned: OwnedApplications
  secrets: ClientSecrets
  provisioned: ProvisionedApplications
}

export function createApplications(parts: {
  store: ApplicationStore
  audit: Audit
  secrets: Secrets
  clock: Clock
}): Applications {
  return {
    clients: new Clients(parts),
    owned: new OwnedApplications(parts),
    secrets: new ClientSecrets(parts),
    provisioned: new ProvisionedApplications(parts),
  }
}
