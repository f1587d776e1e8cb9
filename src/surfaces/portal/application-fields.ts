import type { FastifyRequest } from 'fastify'
import type { ApplicationForm } from '../../domain/applications/application-form.ts'
import {
  type ApplicationFault,
  type ApplicationFaultReason,
  ApplicationRefusal,
} from '../../domain/applications/application-refusal.ts'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { type Environment, parseEnvironment } from '../../domain/applications/redirect-uri.ts'
import { formText } from '../../pages/form-fields.ts'
import { html, type Text, type Words } from '../../pages/html.ts'
import { fieldErrorWords as words } from './words/application-form.ts'

/** Form fields that can have an error. */
export type ApplicationField = 'name' | 'website_url' | 'redirect_uris'

/** All fields of the registration and settings forms. */
export const applicationFieldNames = ['name', 'website_url', 'redirect_uris', 'environment', 'require_pkce'] as const

/** The form's input as typed. */
export interface ApplicationInput {
  name: string
  websiteUrl: string
  /** One per line. */
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

/** @param unsent values for choices that the request omits. Programs may send only the contract's fields. */
export function readApplicationInput(
  request: FastifyRequest,
  unsent: Pick<ApplicationInput, 'environment' | 'requirePkce'>,
): ApplicationInput {
  return {
    name: formText(request, 'name'),
    websiteUrl: formText(request, 'website_url'),
    redirectUris: formText(request, 'redirect_uris'),
    environment: parseEnvironment(formText(request, 'environment')) ?? unsent.environment,
    requirePkce: yesOrNo(formText(request, 'require_pkce')) ?? unsent.requirePkce,
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

/** Errors in the order of the form's fields. */
export type FieldErrors = readonly { field: ApplicationField; message: Text }[]

/** Runs the work. Returns its result, or the form's errors if the domain refuses the input. */
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
  message: (fault: ApplicationFault, environment: Environment) => Text
}

const ofName = (message: Words): FieldError => ({ field: 'name', message: () => message })
const ofWebsite = (message: Words): FieldError => ({ field: 'website_url', message: () => message })
const ofRedirectUris = (message: Words): FieldError => ({ field: 'redirect_uris', message: () => message })
/** Prefixes the message with the redirect URI that it is about, since the field holds several. */
const ofRedirectUri = (message: Words | ((redirectUri: string, environment: Environment) => Words)): FieldError => ({
  field: 'redirect_uris',
  message: ({ redirectUri = '' }, environment) => {
    const named = redirectUri.length > 100 ? `${redirectUri.slice(0, 100)}…` : redirectUri
    return html`${named} ${typeof message === 'function' ? message(redirectUri, environment) : message}`
  },
})

const fieldErrors: Record<ApplicationFaultReason, FieldError> = {
  'name-missing': ofName(words.nameMissing),
  'name-too-long': ofName(words.nameTooLong),
  'website-url-malformed': ofWebsite(words.websiteMalformed),
  'website-url-not-https': ofWebsite(words.websiteNotHttps),
  'redirect-uris-missing': ofRedirectUris(words.redirectUrisMissing),
  'redirect-uris-too-many': ofRedirectUris(words.redirectUrisTooMany),
  'redirect-uri-too-long': ofRedirectUri(words.tooLong),
  'redirect-uri-not-absolute': ofRedirectUri(words.notAbsolute),
  'redirect-uri-characters': ofRedirectUri(words.characters),
  'redirect-uri-wildcard': ofRedirectUri(words.wildcard),
  'redirect-uri-host': ofRedirectUri(words.host),
  'redirect-uri-fragment': ofRedirectUri(words.fragment),
  'redirect-uri-user': ofRedirectUri(words.user),
  'redirect-uri-not-https': ofRedirectUri((redirectUri, environment) =>
    environment === 'production' && /^http:/i.test(redirectUri) ? words.httpInProduction : words.notHttps,
  ),
  'redirect-uri-http-elsewhere': ofRedirectUri(words.httpElsewhere),
}
