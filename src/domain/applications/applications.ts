import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Secrets } from '../ids-and-secrets.ts'
import type { ApplicationStore } from './application-store.ts'
import { createClients } from './clients.ts'
import { createClientSecrets, createOwnedApplications } from './owned-applications.ts'
import { createProvisionedApplications } from './provisioned-applications.ts'

export { ApplicationRefusal } from './application-form.ts'
export type { Application, ClientSecret, OwnedApplication } from './application-store.ts'
export type { Environment } from './redirect-uri.ts'

export type Applications = ReturnType<typeof createApplications>

/** A committed change applies from the next request on, even if the store has a cache. */
export function createApplications(parts: { store: ApplicationStore; audit: Audit; secrets: Secrets; clock: Clock }) {
  return {
    clients: createClients(parts),
    owned: createOwnedApplications(parts),
    secrets: createClientSecrets(parts),
    provisioned: createProvisionedApplications(parts),
  }
}
