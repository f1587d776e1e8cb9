import type { FastifyRequest } from 'fastify'
import type { ApplicationForm } from '../../domain/applications/application-form.ts'
import {
  type ApplicationFault,
  type ApplicationFaultReason,
  ApplicationRefusal,
} from '../../domain/applications/application-refusal.ts'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { type Environment, parseEnvironment } from '../../domain/applications/redirect-uri.ts'
import * as limits from '../../domain/limits/limits.ts'
import { formText } from '../../pages/form-posts.ts'
import { html, type Text, t, type Words } from '../../pages/html.ts'

/** Form fields that can have an error. */
export type ApplicationField = 'name' | 'website_url' | 'redirect_uris'

export interface ApplicationInput {
  name: string
  websiteUrl: string
  /** Redirect URIs, one per line. */
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

/** @param defaults values for fields that the request omits. API clients may omit fields not in the contract. */
export function readApplicationInput(
  request: FastifyRequest,
  defaults: Pick<ApplicationInput, 'environment' | 'requirePkce'>,
): ApplicationInput {
  return {
    name: formText(request, 'name'),
    websiteUrl: formText(request, 'website_url'),
    redirectUris: formText(request, 'redirect_uris'),
    environment: parseEnvironment(formText(request, 'environment')) ?? defaults.environment,
    requirePkce: yesOrNo(formText(request, 'require_pkce')) ?? defaults.requirePkce,
  }
}

function yesOrNo(text: string): boolean | undefined {
  if (text === 'yes') return true
  return text === 'no' ? false : undefined
}

export function inputOf(application: OwnedApplication): ApplicationInput {
  return { ...application, redirectUris: application.redirectUris.join('\n') }
}

export function formOf(input: ApplicationInput): ApplicationForm {
  return { ...input, redirectUris: input.redirectUris.split(/\r\n|\r|\n/) }
}

/** Errors, in the order of the form's fields. */
export type FieldErrors = readonly { field: ApplicationField; message: Text }[]

/** Runs `work`. Returns its result, or the form's errors if the domain refuses the input. */
export async function withFieldErrors<Done>(
  { environment }: ApplicationInput,
  work: () => Promise<Done>,
): Promise<{ done: Done } | { errors: FieldErrors }> {
  try {
    return { done: await work() }
  } catch (error) {
    if (!(error instanceof ApplicationRefusal) || error.faults.length === 0) throw error
    return {
      errors: error.faults.map((fault) => ({
        field: fieldErrors[fault.reason].field,
        message: faultWords(fault, environment),
      })),
    }
  }
}

/** Returns what is wrong with a form field's value, and how to fix it. */
export function faultWords(fault: ApplicationFault, environment: Environment): Text {
  return fieldErrors[fault.reason].message(fault, environment)
}

interface FieldError {
  field: ApplicationField
  message: (fault: ApplicationFault, environment: Environment) => Text
}

const nameError = (message: Words): FieldError => ({ field: 'name', message: () => message })
const websiteError = (message: Words): FieldError => ({ field: 'website_url', message: () => message })
const redirectUrisError = (message: Words): FieldError => ({ field: 'redirect_uris', message: () => message })
/** Prefixes the message with the redirect URI it refers to, because the field contains several. */
const redirectUriError = (message: Words | ((redirectUri: string, environment: Environment) => Words)): FieldError => ({
  field: 'redirect_uris',
  message: ({ redirectUri = '' }, environment) => {
    const named = redirectUri.length > 100 ? `${redirectUri.slice(0, 100)}…` : redirectUri
    return html`${named} ${typeof message === 'function' ? message(redirectUri, environment) : message}`
  },
})

const fieldErrors: Record<ApplicationFaultReason, FieldError> = {
  'name-missing': nameError(t`Enter a name for your application.`),
  'name-too-long': nameError(t`Use at most ${limits.applicationNameMaxCharacters} characters.`),
  'website-url-malformed': websiteError(t`This is not a URL. Enter one like https://acme.example.`),
  'website-url-not-https': websiteError(t`The website URL must start with https://.`),
  'applications-too-many': nameError(
    t`You have ${limits.applicationsPerOwner} applications, the maximum. Delete one first.`,
  ),
  'redirect-uris-missing': redirectUrisError(
    t`Enter at least one redirect URI, such as https://acme.example/callback.`,
  ),
  'redirect-uris-too-many': redirectUrisError(t`Use at most ${limits.redirectUrisPerApplication} redirect URIs.`),
  'redirect-uri-too-long': redirectUriError(
    t`has more than ${limits.redirectUriMaxCharacters} characters. Shorten it.`,
  ),
  'redirect-uri-several': redirectUriError(t`contains several URLs. Enter one per line.`),
  'redirect-uri-not-absolute': redirectUriError(
    t`is not a complete URL. Start with https:// and the host, such as https://acme.example/callback.`,
  ),
  'redirect-uri-characters': redirectUriError(
    t`has a character that URLs can’t contain, such as a space. Percent-encode it, and enter one URL per line.`,
  ),
  'redirect-uri-wildcard': redirectUriError(
    t`has a *. Redirect URIs must match exactly, so enter each one on a separate line.`,
  ),
  'redirect-uri-host': redirectUriError(
    t`has a host name that browsers rewrite. Enter the name as the address bar shows it.`,
  ),
  'redirect-uri-fragment': redirectUriError(t`has a part after #, which never reaches your server. Remove it.`),
  'redirect-uri-user': redirectUriError(t`has a user name before the @. Remove it.`),
  'redirect-uri-response-parameter': redirectUriError(
    t`has code, state, error, error_description, error_uri or iss in its query. Gatehouse adds these parameters itself. Remove them.`,
  ),
  'redirect-uri-not-https': redirectUriError((redirectUri, environment) =>
    environment === 'production' && /^http:/i.test(redirectUri)
      ? t`starts with http://. Production allows only https://. Change it, or choose Development while you build on your own machine.`
      : t`must start with https://.`,
  ),
  'redirect-uri-http-elsewhere': redirectUriError(
    t`starts with http://, which is allowed only for localhost, 127.0.0.1 and [::1]. Change it to https://.`,
  ),
}
