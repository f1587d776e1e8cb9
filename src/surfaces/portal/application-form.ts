import {
  type ApplicationFault,
  type ApplicationFaultReason,
  type ApplicationForm,
  ApplicationRefusal,
} from '../../domain/applications/application-form.ts'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import type { Environment } from '../../domain/applications/redirect-uri.ts'
import { nearDuplicateKinds } from '../../domain/applications/redirect-uri-difference.ts'
import * as limits from '../../domain/limits/limits.ts'
import { icon } from '../../pages/components/pictures.ts'
import { type Filled, form, oneOf, textArea, textField, type ValuesOf } from '../../pages/form.ts'
import { cut, type Html, html, type Text, t, type Words } from '../../pages/html.ts'

export const environmentNames = { production: t`Production`, development: t`Development` }

const redirectUris = textArea({
  label: t`Redirect URIs`,
  hint: t.html`Where users return<span data-lines-only>, one per line</span>, such as <code>https://acme.example/callback</code>. Each must match exactly, including a slash at the end.`,
  rows: 4,
  code: true,
})

const fields = {
  name: textField({
    label: t`Name`,
    hint: t`Users see it when they are asked to allow your application.`,
    autocomplete: 'off',
  }),
  websiteUrl: textField({
    label: t`Website URL`,
    hint: t`Where users can learn about you. Must start with https://. While you develop, any such URL will do.`,
    inputmode: 'url',
    autocomplete: 'url',
    code: true,
  }),
  environment: oneOf({
    label: t`Environment`,
    among: [
      { value: 'production', label: environmentNames.production, hint: t`Redirect URIs must start with https://.` },
      {
        value: 'development',
        label: environmentNames.development,
        hint: t.html`Also allows <code>http://localhost</code> with a port, and <code>http://127.0.0.1</code> and <code>http://[::1]</code> on any port.`,
      },
    ],
    otherwise: undefined,
  }),
  /** One per line. */
  redirectUris: {
    ...redirectUris,
    show: (...field: Parameters<typeof redirectUris.show>) => html`${redirectUris.show(...field)}
${rowsTemplate}
${nearDuplicates(field[1] ?? '')}`,
  },
  requirePkce: oneOf({
    label: t`PKCE`,
    among: [
      { value: 'no', label: t`Optional`, hint: t`Checked if your application sends it.` },
      {
        value: 'yes',
        label: t`Required`,
        hint: t.html`Authorization requests without <code>code_challenge</code> (S256) are rejected. Choose this once your client library sends one. It makes stolen codes useless.`,
      },
    ],
    otherwise: undefined,
  }),
}

export const applicationForm = form(fields)
export const applicationFormOptions = { bodyLimit: limits.applicationFormMaxBytes }

export type PostedApplication = ValuesOf<typeof fields>
export type ApplicationValues = PostedApplication & { environment: Environment; requirePkce: 'yes' | 'no' }
export type FilledApplication = Omit<Filled<ApplicationValues>, 'status'>

export const emptyApplication: ApplicationValues = {
  name: '',
  websiteUrl: '',
  redirectUris: '',
  environment: 'production',
  requirePkce: 'no',
}

/** @param defaults values for fields that the request omits. API clients may omit fields not in the contract. */
export function complete(posted: PostedApplication, defaults: ApplicationValues): ApplicationValues {
  const { environment = defaults.environment, requirePkce = defaults.requirePkce } = posted
  return { ...posted, environment, requirePkce }
}

export function valuesOf(application: OwnedApplication): ApplicationValues {
  const { name, websiteUrl, redirectUris, environment, requirePkce } = application
  return {
    name,
    websiteUrl,
    environment,
    redirectUris: redirectUris.join('\n'),
    requirePkce: requirePkce ? 'yes' : 'no',
  }
}

export function applicationOf({ redirectUris, requirePkce, ...values }: ApplicationValues): ApplicationForm {
  return { ...values, redirectUris: redirectUris.split(/\r\n|\r|\n/), requirePkce: requirePkce === 'yes' }
}

export function applicationErrors(error: unknown, { environment = 'production' }: PostedApplication) {
  if (!(error instanceof ApplicationRefusal) || error.about.faults === undefined) throw error
  const errors = error.about.faults.map((fault) => ({
    field: fieldErrors[fault.reason][0],
    message: faultWords(fault, environment),
  }))
  return { status: 422, errors }
}

export function faultWords(fault: ApplicationFault, environment: Environment): Text {
  const [, message] = fieldErrors[fault.reason]
  return typeof message === 'function' ? message(fault, environment) : message
}

type FieldError = readonly [
  field: string,
  message: Words | ((fault: ApplicationFault, environment: Environment) => Text),
]

/** Prefixes the message with the redirect URI it refers to, because the field contains several. */
const redirectUriError = (message: Words | ((redirectUri: string, environment: Environment) => Words)): FieldError => [
  'redirect_uris',
  ({ redirectUri = '' }, environment) => {
    return html`${cut(redirectUri, 100)} ${typeof message === 'function' ? message(redirectUri, environment) : message}`
  },
]

const fieldErrors: Record<ApplicationFaultReason, FieldError> = {
  'name-missing': ['name', t`Enter a name for your application.`],
  'name-too-long': ['name', t`Use at most ${limits.applicationNameMaxCharacters} characters.`],
  'website-url-malformed': ['website_url', t`This is not a URL. Enter one like https://acme.example.`],
  'website-url-not-https': ['website_url', t`The website URL must start with https://.`],
  'applications-too-many': [
    'name',
    t`You have ${limits.applicationsPerOwner} applications, the maximum. Delete one first.`,
  ],
  'redirect-uris-missing': [
    'redirect_uris',
    t`Enter at least one redirect URI, such as https://acme.example/callback.`,
  ],
  'redirect-uris-too-many': ['redirect_uris', t`Use at most ${limits.redirectUrisPerApplication} redirect URIs.`],
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

/** Renders the settings form's fields on an application's overview. Environment and PKCE, which rarely change, are collapsed. */
export function compactFields(filled: FilledApplication): Html {
  const { values, errors } = filled
  const withoutHint = { hint: undefined }
  const { name, websiteUrl, environment, redirectUris, requirePkce } = applicationForm.fields(filled, {
    name: withoutHint,
    websiteUrl: withoutHint,
    redirectUris: withoutHint,
  })
  const environmentNow = environmentNames[values.environment]
  const rarelyChanged =
    values.requirePkce === 'yes'
      ? t`Environment: ${environmentNow} · PKCE: required`
      : t`Environment: ${environmentNow} · PKCE: optional`
  return html`<div class="columns"><div class="stack tight">${name}
${websiteUrl}</div>
<div class="stack tight lines">${redirectUris}</div></div>
<details class="reveal"${errors.length > 0 && html` open`}><summary>${rarelyChanged}</summary><div class="columns">${environment}
${requirePkce}</div></details>`
}

export function settingsFields(filled: FilledApplication): Html[] {
  const { name, websiteUrl, environment, redirectUris, requirePkce } = applicationForm.fields(filled)
  return [name, websiteUrl, redirectUris, environment, requirePkce]
}

/** The template from which the browser module creates the rows. Not visible without scripts. */
const rowsTemplate = html`<template data-redirect-uris><div class="stack tight"><ul class="rows" data-rows><li data-uri-row><label><span class="hidden-visually">${t`Redirect URI`} <span data-number></span></span><input type="text" inputmode="url" autocomplete="off" autocapitalize="none" spellcheck="false"></label><button type="button" class="quiet small">${t`Remove`}</button></li></ul>
<div class="buttons"><button type="button" class="plain small" data-add>${t`Add a redirect URI`}</button></div></div></template>`

const nearDuplicateWords = {
  'slash-at-end': t`Two of these differ only by a trailing slash.`,
  case: t`Two of these differ only in capitalization.`,
  www: t`Two of these differ only in “www.”.`,
  port: t`Two of these differ only in the port.`,
}

/** Renders a warning about similar redirect URIs, which the browser module updates. It doesn't prevent submission. */
function nearDuplicates(redirectUris: string): Html {
  const lines = [...new Set(redirectUris.split(/\s+/))].filter((uri) => uri !== '')
  const kinds = nearDuplicateKinds(lines)
  const said = Object.entries(nearDuplicateWords).map(
    ([kind, line]) =>
      html`<span data-kind="${kind}"${!kinds.some((found) => found === kind) && html` hidden`}>${line} </span>`,
  )
  return html`<div data-near-duplicates aria-live="polite"${kinds.length === 0 && html` hidden`}><p class="remark warn">${icon('warning')}<span>${said}${t`If your application uses only one, remove the other.`}</span></p></div>`
}
