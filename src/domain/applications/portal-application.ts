import { asClientId, type ClientId, parseApplicationId } from '../ids-and-secrets.ts'
import type { Application } from './application-store.ts'

/** The same in every installation. */
export const portalClientId: ClientId = asClientId('svc_ci_portal')

export interface PortalApplication extends Pick<Application, 'id' | 'clientId' | 'name' | 'websiteUrl'> {
  redirectUris: readonly [string]
}

/** The portal signs users in like any other application, but with implied consent. */
export function portalApplication(portalUrl: string): PortalApplication {
  const id = parseApplicationId('portal')
  if (id === undefined) throw new Error('"portal" is not a valid application ID')
  return {
    id,
    clientId: portalClientId,
    name: 'Developer portal',
    websiteUrl: portalUrl,
    redirectUris: [`${portalUrl}/callback`],
  }
}
