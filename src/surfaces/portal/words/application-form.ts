import { type Text, t, type Words } from '../../../pages/html.ts'

/** Labels and hints for the registration and settings forms. */
export const fieldWords = {
  environments: {
    production: t`Production`,
    development: t`Development`,
  },
  nearDuplicates: {
    'slash-at-end': t`Two of these differ only by a trailing slash.`,
    case: t`Two of these differ only in capitalization.`,
    www: t`Two of these differ only in “www.”.`,
    port: t`Two of these differ only in the port.`,
  },
  rarelyChanged: (environment: Text, pkceRequired: boolean): Words =>
    pkceRequired ? t`Environment: ${environment} · PKCE: required` : t`Environment: ${environment} · PKCE: optional`,
}
