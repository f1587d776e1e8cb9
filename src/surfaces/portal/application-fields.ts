import type { FastifyRequest } from 'fastify'
import type { ApplicationForm } from '../../domain/applications/application-form.ts'
import {
  type ApplicationFault,
  type ApplicationFaultReason,
  ApplicationRefusal,
} from '../../domain/applications/application-refusal.ts'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { type Environment, parseEnvironment } from '../../domain/applications/redirect-uri.ts'
import {
  applicationNameMaxCharacters,
  redirectUriMaxCharacters,
  redirectUrisPerApplication,
} from '../../domain/limits.ts'
import { formText } from '../../http/form-fields.ts'

/** The fields of both application forms, by their names on the wire. */
export type ApplicationField = 'name' | 'website_url' | 'redirect_uris'

/** What stands in the form, as typed. */
export interface ApplicationInput {
  name: string
  websiteUrl: string
  /** One a line. */
  redirectUris: string
  environment: Environment
  requirePkce: boolean
}

export const emptyInput: ApplicationInput = {
  name: '',
  websiteUrl: '',
  redirectUris: '',
  environment: 'production',
  requirePkce: false,
}

/** @param unsent what is taken of the choices that are not sent: programs may send the contract's fields alone. */
export function readApplicationInput(
  request: FastifyRequest,
  unsent: Pick<ApplicationInput, 'environment' | 'requirePkce'>,
): ApplicationInput {
  const requirePkce = { yes: true, no: false }[formText(request, 'require_pkce')]
  return {
    name: formText(request, 'name'),
    websiteUrl: formText(request, 'website_url'),
    redirectUris: formText(request, 'redirect_uris'),
    environment: parseEnvironment(formText(request, 'environment')) ?? unsent.environment,
    requirePkce: requirePkce ?? unsent.requirePkce,
  }
}

export function inputOf(application: OwnedApplication): ApplicationInput {
  return { ...application, redirectUris: application.redirectUris.join('\n') }
}

export function formOf(input: ApplicationInput): ApplicationForm {
  return { ...input, redirectUris: input.redirectUris.split(/\r\n|\r|\n/) }
}

/** What is wrong with a form, field by field, in the order of the form. */
export type FieldErrors = readonly { field: ApplicationField; message: string }[]

/** Does the work, or tells what is wrong with the form it was given. */
export async function orErrors<Done>(
  { environment }: ApplicationInput,
  work: () => Promise<Done>,
): Promise<{ done: Done } | { errors: FieldErrors }> {
  try {
    return { done: await work() }
  } catch (error) {
    if (!(error instanceof ApplicationRefusal) || error.faults.length === 0) throw error
    return {
      errors: error.faults.map((fault) => {
        const { field, message } = fieldErrors[fault.reason]
        return { field, message: message(fault, environment) }
      }),
    }
  }
}

interface FieldError {
  field: ApplicationField
  message: (fault: ApplicationFault, environment: Environment) => string
}

const ofName = (message: string): FieldError => ({ field: 'name', message: () => message })
const ofWebsite = (message: string): FieldError => ({ field: 'website_url', message: () => message })
const ofRedirectUris = (message: string): FieldError => ({ field: 'redirect_uris', message: () => message })
/** Names the one that is meant: the field holds several. */
const ofRedirectUri = (message: (redirectUri: string, environment: Environment) => string): FieldError => ({
  field: 'redirect_uris',
  message: ({ redirectUri = '' }, environment) => {
    const named = redirectUri.length > 100 ? `${redirectUri.slice(0, 100)}…` : redirectUri
    return `${named} ${message(redirectUri, environment)}`
  },
})

const fieldErrors: Record<ApplicationFaultReason, FieldError> = {
  'name-missing': ofName('Enter a name for your application.'),
  'name-too-long': ofName(`Use at most ${applicationNameMaxCharacters} characters.`),
  'website-url-malformed': ofWebsite('This is not a web address. It looks like https://acme.example.'),
  'website-url-not-https': ofWebsite('The website takes https:// only. Change the beginning.'),
  'redirect-uris-missing': ofRedirectUris(
    'Enter at least one redirect URI: the address of your application to which people return, such as https://acme.example/callback.',
  ),
  'redirect-uris-too-many': ofRedirectUris(`Use at most ${redirectUrisPerApplication} redirect URIs.`),
  'redirect-uri-too-long': ofRedirectUri(() => `has more than ${redirectUriMaxCharacters} characters. Shorten it.`),
  'redirect-uri-not-absolute': ofRedirectUri(
    () => 'is not a whole address. Begin with https:// and the host, such as https://acme.example/callback.',
  ),
  'redirect-uri-characters': ofRedirectUri(
    () => 'has a character that no address holds, such as a space. Write it percent-encoded, and one address a line.',
  ),
  'redirect-uri-wildcard': ofRedirectUri(
    () => 'has a *. Redirect URIs are matched character by character, so list each address on a line of its own.',
  ),
  'redirect-uri-host': ofRedirectUri(
    () => 'has a host that browsers rewrite. Write it the way the address bar shows it.',
  ),
  'redirect-uri-fragment': ofRedirectUri(() => 'has a part behind #, which never reaches your server. Leave it out.'),
  'redirect-uri-user': ofRedirectUri(() => 'has a user name before the @. Leave it out.'),
  'redirect-uri-not-https': ofRedirectUri((redirectUri, environment) =>
    environment === 'production' && /^http:/i.test(redirectUri)
      ? 'begins with http://. Production takes https:// only: change it, or choose Development while you build on your own machine.'
      : 'does not begin with https://. Change the beginning.',
  ),
  'redirect-uri-http-elsewhere': ofRedirectUri(
    () => 'begins with http://, which is for localhost, 127.0.0.1 and [::1] only. Change it to https://.',
  ),
}
