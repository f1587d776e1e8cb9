import { asClientId, type ClientId, parseApplicationId } from '../ids-and-secrets.ts'

/** The same in every installation. */
export const portalClientId: ClientId = asClientId('svc_ci_portal')

/** The portal signs users in like any other application, but with implied consent. */
export function portalApplication(portalUrl: string) {
  const id = parseApplicationId('portal')
  if (id === undefined) throw new Error('"portal" is not a valid application ID')
  return {
    id,
    clientId: portalClientId,
    name: 'Developer portal',
    websiteUrl: portalUrl,
    redirectUris: [`${portalUrl}/callback`] as const,
  }
}
