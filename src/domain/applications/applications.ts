import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Secrets } from '../secret.ts'
import type { ApplicationStore } from './application-store.ts'
import { type ClientSecrets, createClientSecrets } from './client-secrets.ts'
import { type Clients, createClients } from './clients.ts'
import { createOwnedApplications, type OwnedApplications } from './owned-applications.ts'
import { createProvisionedApplications, type ProvisionedApplications } from './provisioned-applications.ts'

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
    clients: createClients(parts),
    owned: createOwnedApplications(parts),
    secrets: createClientSecrets(parts),
    provisioned: createProvisionedApplications(parts),
  }
}
