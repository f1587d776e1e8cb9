/** An application's registration in the portal, and the URL of Gatehouse. */
export interface Registration {
  /** `{base_url}`, without a trailing slash. */
  gatehouse: string
  clientId: string
  clientSecret: string
  redirectUri: string
}
