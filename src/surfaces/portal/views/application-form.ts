import { nearDuplicateKinds } from '../../../domain/applications/redirect-uri-difference.ts'
import { choices, textArea, textField } from '../../../pages/components/field.ts'
import { icon } from '../../../pages/components/icon.ts'
import { type Html, html } from '../../../pages/html.ts'
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
      label: words.name,
      hint: words.nameHint,
      autocomplete: 'off',
      value: input.name,
      error: errorsOf('name'),
    }),
    website: textField({
      name: 'website_url',
      label: words.websiteUrl,
      hint: words.websiteUrlHint,
      inputmode: 'url',
      autocomplete: 'url',
      code: true,
      value: input.websiteUrl,
      error: errorsOf('website_url'),
    }),
    environment: choices({
      name: 'environment',
      label: words.environment,
      choose: 'one',
      chosen: [input.environment],
      among: [
        { value: 'production', label: environmentNames.production, hint: words.productionHint },
        { value: 'development', label: environmentNames.development, hint: words.developmentHint },
      ],
    }),
    redirectUris: html`${textArea({
      name: 'redirect_uris',
      label: words.redirectUris,
      hint: words.redirectUrisHint,
      rows: 4,
      code: true,
      value: input.redirectUris,
      error: errorsOf('redirect_uris'),
    })}
${rowsTemplate}
${nearDuplicates(input)}`,
    pkce: choices({
      name: 'require_pkce',
      label: words.pkce,
      choose: 'one',
      chosen: [input.requirePkce ? 'yes' : 'no'],
      among: [
        { value: 'no', label: words.pkceOptional, hint: words.pkceOptionalHint },
        { value: 'yes', label: words.pkceRequired, hint: words.pkceRequiredHint },
      ],
    }),
  }
}

/** The template from which the browser module creates the rows. Not visible without scripts. */
const rowsTemplate = html`<template data-redirect-uris><div class="stack tight"><ul class="rows" data-rows><li data-uri-row><label><span class="hidden-visually">${words.redirectUri} <span data-number></span></span><input type="text" inputmode="url" autocomplete="off" autocapitalize="none" spellcheck="false"></label><button type="button" class="quiet small">${words.remove}</button></li></ul>
<div class="buttons"><button type="button" class="plain small" data-add>${words.addRedirectUri}</button></div></div></template>`

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
  return html`<div data-near-duplicates aria-live="polite"${kinds.length === 0 && html` hidden`}><p class="remark warn">${icon('warning')}<span>${said}${words.nearDuplicatesMeaning}</span></p></div>`
}
