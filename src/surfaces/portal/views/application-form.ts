import { nearDuplicateKinds } from '../../../domain/applications/redirect-uri-difference.ts'
import { choices, textArea, textField } from '../../../pages/components/field.ts'
import { icon } from '../../../pages/components/icon.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import type { ApplicationField, ApplicationInput, FieldErrors } from '../application-fields.ts'
import { fieldWords as words } from '../words/application-form.ts'
import { environmentNames } from './application-frame.ts'

/** Browser module that replaces the text area with one input per redirect URI. */
export const applicationFieldsModule = 'redirect-uris.js'

type Parts = Record<'name' | 'website' | 'environment' | 'redirectUris' | 'pkce', Html>

/** Renders the fields of the registration form, in the order in which a developer decides. */
export function registrationFields(input: ApplicationInput, errors: FieldErrors): Html {
  const parts = fields(input, errors)
  return html`${parts.name}
${parts.website}
${parts.environment}
${parts.redirectUris}
${parts.pkce}`
}

/** Renders the fields of the settings form. Environment and PKCE, which rarely change, are collapsed. */
export function settingsFields(input: ApplicationInput, errors: FieldErrors): Html {
  const parts = fields(input, errors)
  const current = words.rarelyChanged(environmentNames[input.environment], input.requirePkce)
  return html`<div class="columns">${parts.name}
${parts.website}</div>
${parts.redirectUris}
<details class="reveal"${errors.length > 0 && html` open`}><summary>${current}</summary><div class="columns">${parts.environment}
${parts.pkce}</div></details>`
}

function fields(input: ApplicationInput, errors: FieldErrors): Parts {
  const errorsOf = (field: ApplicationField) =>
    errors.filter((error) => error.field === field).map(({ message }) => message)
  return {
    name: textField({
      name: 'name',
      label: t`Name`,
      hint: t`Users see it when they are asked to allow your application.`,
      autocomplete: 'off',
      value: input.name,
      error: errorsOf('name'),
    }),
    website: textField({
      name: 'website_url',
      label: t`Website URL`,
      hint: t`Where users can learn about you. Must start with https://.`,
      inputmode: 'url',
      autocomplete: 'url',
      code: true,
      value: input.websiteUrl,
      error: errorsOf('website_url'),
    }),
    environment: choices({
      name: 'environment',
      label: t`Environment`,
      choose: 'one',
      chosen: [input.environment],
      among: [
        { value: 'production', label: environmentNames.production, hint: t`Redirect URIs must start with https://.` },
        {
          value: 'development',
          label: environmentNames.development,
          hint: t.html`Also allows <code>http://localhost</code> with a port, and <code>http://127.0.0.1</code> and <code>http://[::1]</code> on any port.`,
        },
      ],
    }),
    redirectUris: html`${textArea({
      name: 'redirect_uris',
      label: t`Redirect URIs`,
      hint: t.html`Where users return, one per line, such as <code>https://acme.example/callback</code>. Each must match exactly, including a slash at the end.`,
      rows: 4,
      code: true,
      value: input.redirectUris,
      error: errorsOf('redirect_uris'),
    })}
${rowsTemplate}
${nearDuplicates(input)}`,
    pkce: choices({
      name: 'require_pkce',
      label: t`PKCE`,
      choose: 'one',
      chosen: [input.requirePkce ? 'yes' : 'no'],
      among: [
        { value: 'no', label: t`Optional`, hint: t`Checked if your application sends it.` },
        {
          value: 'yes',
          label: t`Required`,
          hint: t.html`Authorization requests without <code>code_challenge</code> (S256) are rejected. Choose this once your client library sends one. It makes stolen codes useless.`,
        },
      ],
    }),
  }
}

/** The template from which the browser module creates the rows. Not visible without scripts. */
const rowsTemplate = html`<template data-redirect-uris><div class="stack tight"><ul class="rows" data-rows><li data-uri-row><label><span class="hidden-visually">${t`Redirect URI`} <span data-number></span></span><input type="text" inputmode="url" autocomplete="off" autocapitalize="none" spellcheck="false"></label><button type="button" class="quiet small">${t`Remove`}</button></li></ul>
<div class="buttons"><button type="button" class="plain small" data-add>${t`Add a redirect URI`}</button></div></div></template>`

/**
 * Renders a warning about similar redirect URIs. It doesn't prevent submission. The browser module updates it as the
 * user types.
 */
function nearDuplicates({ redirectUris }: ApplicationInput): Html {
  const lines = [...new Set(redirectUris.split(/\s+/))].filter((uri) => uri !== '')
  const kinds = nearDuplicateKinds(lines)
  const said = Object.entries(words.nearDuplicates).map(
    ([kind, line]) =>
      html`<span data-kind="${kind}"${!kinds.some((found) => found === kind) && html` hidden`}>${line} </span>`,
  )
  return html`<div data-near-duplicates aria-live="polite"${kinds.length === 0 && html` hidden`}><p class="remark warn">${icon('warning')}<span>${said}${t`If your application uses only one, remove the other.`}</span></p></div>`
}
