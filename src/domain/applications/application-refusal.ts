import type { ApplicationId } from '../ids.ts'
import { Refusal } from '../refusal.ts'
import type { RedirectUriFault } from './redirect-uri.ts'

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

export class ApplicationRefusal extends Refusal<ApplicationRefusalReason> {
  /** All validation errors of a form. The first one determines `reason`. Empty for other errors. */
  readonly faults: readonly ApplicationFault[]

  /** The application whose client sent a wrong secret. */
  readonly applicationId: ApplicationId | undefined

  constructor(
    cause: ApplicationRefusalReason | readonly [ApplicationFault, ...ApplicationFault[]],
    context: { detail?: string; applicationId?: ApplicationId } = {},
  ) {
    super(typeof cause === 'string' ? cause : cause[0].reason, context)
    this.applicationId = context.applicationId
    this.faults = typeof cause === 'string' ? [] : cause
  }
}

export function unknownApplication(id: ApplicationId): ApplicationRefusal {
  return new ApplicationRefusal('application-unknown', { detail: `application ${id}` })
}

export function unknownOwner(id: ApplicationId): ApplicationRefusal {
  return new ApplicationRefusal('owner-unknown', { detail: `application ${id}` })
}
