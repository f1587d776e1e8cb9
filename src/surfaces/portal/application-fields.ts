import type { FastifyRequest } from 'fastify'
import type { ApplicationForm } from '../../domain/applications/application-form.ts'
import {
  type ApplicationFault,
  type ApplicationFaultReason,
  ApplicationRefusal,
} from '../../domain/applications/application-refusal.ts'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { type Environment, parseEnvironment } from '../../domain/applications/redirect-uri.ts'
import { formText } from '../../pages/form-posts.ts'
import { html, type Text, type Words } from '../../pages/html.ts'
import { fieldErrorWords as words } from './words/application-form.ts'

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
  'name-missing': nameError(words.nameMissing),
  'name-too-long': nameError(words.nameTooLong),
  'website-url-malformed': websiteError(words.websiteMalformed),
  'website-url-not-https': websiteError(words.websiteNotHttps),
  'applications-too-many': nameError(words.applicationsTooMany),
  'redirect-uris-missing': redirectUrisError(words.redirectUrisMissing),
  'redirect-uris-too-many': redirectUrisError(words.redirectUrisTooMany),
  'redirect-uri-too-long': redirectUriError(words.tooLong),
  'redirect-uri-several': redirectUriError(words.several),
  'redirect-uri-not-absolute': redirectUriError(words.notAbsolute),
  'redirect-uri-characters': redirectUriError(words.characters),
  'redirect-uri-wildcard': redirectUriError(words.wildcard),
  'redirect-uri-host': redirectUriError(words.host),
  'redirect-uri-fragment': redirectUriError(words.fragment),
  'redirect-uri-user': redirectUriError(words.user),
  'redirect-uri-response-parameter': redirectUriError(words.responseParameter),
  'redirect-uri-not-https': redirectUriError((redirectUri, environment) =>
    environment === 'production' && /^http:/i.test(redirectUri) ? words.httpInProduction : words.notHttps,
  ),
  'redirect-uri-http-elsewhere': redirectUriError(words.httpElsewhere),
}
