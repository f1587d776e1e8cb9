import { type ApplicationId, asClientId, type ClientId, parseApplicationId } from '../ids.ts'

/** The client id of the developer portal, the same in every installation. */
export const portalClientId: ClientId = asClientId('svc_ci_portal')

/** The developer portal as an application: it signs its users in as any other does, but their consent is implied. */
export function portalApplication(portalUrl: string): {
  id: ApplicationId
  clientId: ClientId
  name: string
  websiteUrl: string
  redirectUris: readonly [string]
} {
  const id = parseApplicationId('portal')
  if (id === undefined) throw new Error('portal is not the id of an application')
  return {
    id,
    clientId: portalClientId,
    name: 'Developer portal',
    websiteUrl: portalUrl,
    redirectUris: [`${portalUrl}/callback`],
  }
}
