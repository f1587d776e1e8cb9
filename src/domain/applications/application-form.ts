import { oneLine } from '../clean-text.ts'
import type { ApplicationId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { Refusal } from '../refusal.ts'
import { type Environment, parseRedirectUri, type RedirectUriFault } from './redirect-uri.ts'

export type ApplicationFaultReason =
  | 'name-missing'
  | 'name-too-long'
  | 'website-url-malformed'
  | 'website-url-not-https'
  | 'redirect-uris-missing'
  | 'redirect-uris-too-many'
  | 'applications-too-many'
  | RedirectUriFault

export type ApplicationRefusalReason =
  | ApplicationFaultReason
  | 'client-unknown'
  | 'client-secret-wrong'
  | 'application-unknown'
  | 'application-removed'
  | 'id-reserved'
  | 'owner-unknown'
  | 'secret-label-missing'
  | 'secret-label-too-long'
  | 'secrets-too-many'
  | 'secret-unknown'
  | 'secret-needed'

export interface ApplicationFault {
  reason: ApplicationFaultReason
  redirectUri?: string
}

interface RefusedApplication {
  /** The application whose client sent a wrong secret. */
  applicationId: ApplicationId
  /** Of a form. The first one determines the reason. */
  faults: readonly ApplicationFault[]
}

export class ApplicationRefusal extends Refusal<ApplicationRefusalReason, RefusedApplication> {}

export function unknownApplication(id: ApplicationId): ApplicationRefusal {
  return new ApplicationRefusal('application-unknown', { detail: `application ${id}` })
}

export function unknownOwner(id: ApplicationId): ApplicationRefusal {
  return new ApplicationRefusal('owner-unknown', { detail: `application ${id}` })
}

export interface ApplicationForm {
  name: string
  websiteUrl: string
  environment: Environment
  /** Parsing trims them and drops empty and duplicate entries. */
  redirectUris: readonly string[]
  /** If absent, the stored value is kept; a new application gets `false`. */
  requirePkce?: boolean | undefined
}

/** Fields that were not sent are omitted, so that the form can be merged into the stored values. */
type ParsedApplicationForm = Omit<ApplicationForm, 'requirePkce'> & { requirePkce?: boolean }

/** @throws ApplicationRefusal with all validation errors in the form. */
export function parseApplicationForm(form: ApplicationForm): ParsedApplicationForm {
  const faults: ApplicationFault[] = []
  const name = oneLine(form.name)
  if (name === '') faults.push({ reason: 'name-missing' })
  if ([...name].length > limits.applicationNameMaxCharacters) faults.push({ reason: 'name-too-long' })

  const websiteUrl = form.websiteUrl.trim()
  const websiteFault = faultOfWebsite(websiteUrl)
  if (websiteFault !== undefined) faults.push({ reason: websiteFault })

  const redirectUris = [...new Set(form.redirectUris.map((uri) => uri.trim()))].filter((uri) => uri !== '')
  if (redirectUris.length === 0) faults.push({ reason: 'redirect-uris-missing' })
  if (redirectUris.length > limits.redirectUrisPerApplication) faults.push({ reason: 'redirect-uris-too-many' })
  for (const redirectUri of redirectUris.slice(0, limits.redirectUrisPerApplication)) {
    const reading = parseRedirectUri(redirectUri, form.environment)
    if ('fault' in reading) faults.push({ reason: reading.fault, redirectUri })
  }

  if (faults[0] !== undefined) throw new ApplicationRefusal(faults[0].reason, { faults })
  const { environment, requirePkce } = form
  const parsed = { name, websiteUrl, environment, redirectUris }
  return requirePkce === undefined ? parsed : { ...parsed, requirePkce }
}

/** Requires `https://`, and no user information, because the consent page links to the website. */
function faultOfWebsite(text: string): 'website-url-malformed' | 'website-url-not-https' | undefined {
  if (text.length > limits.websiteUrlMaxCharacters || /[\s\p{Cc}]/u.test(text)) return 'website-url-malformed'
  if (!/^https:\/\//i.test(text)) {
    return /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text) ? 'website-url-not-https' : 'website-url-malformed'
  }
  if (!URL.canParse(text)) return 'website-url-malformed'
  const url = new URL(text)
  return url.username === '' && url.password === '' ? undefined : 'website-url-malformed'
}
