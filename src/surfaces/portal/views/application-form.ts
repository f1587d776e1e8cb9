import { nearDuplicateKinds } from '../../../domain/applications/redirect-uri-difference.ts'
import { icon } from '../../../pages/components/icon.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import { applicationForm, type FilledApplication, fieldWords as words } from '../application-fields.ts'
import { environmentNames } from './application-frame.ts'

/** Browser module that replaces the text area with one input per redirect URI. */
export const applicationFieldsModule = 'redirect-uris.js'

/** Renders the fields of the registration form, in the order in which a developer decides. */
export function registrationFields(filled: FilledApplication): Html[] {
  const { redirectUris, ...fields } = applicationForm.fields(filled)
  const { name, websiteUrl, environment, requirePkce } = fields
  return [name, websiteUrl, environment, withRows(redirectUris, filled), requirePkce]
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
  const current = words.rarelyChanged(environmentNames[values.environment], values.requirePkce === 'yes')
  return html`<div class="columns"><div class="stack tight">${name}
${websiteUrl}</div>
<div class="stack tight lines">${redirectUris}
${nearDuplicates(values.redirectUris)}</div></div>
<details class="reveal"${errors.length > 0 && html` open`}><summary>${current}</summary><div class="columns">${environment}
${requirePkce}</div></details>`
}

/** Renders the settings form's fields on their own tab. */
export function settingsFields(filled: FilledApplication): Html {
  const { name, websiteUrl, environment, redirectUris, requirePkce } = applicationForm.fields(filled)
  return html`${name}
${websiteUrl}
${redirectUris}
${nearDuplicates(filled.values.redirectUris)}
${environment}
${requirePkce}`
}

function withRows(redirectUris: Html, filled: FilledApplication): Html {
  return html`${redirectUris}
${rowsTemplate}
${nearDuplicates(filled.values.redirectUris)}`
}

/** The template from which the browser module creates the rows. Not visible without scripts. */
const rowsTemplate = html`<template data-redirect-uris><div class="stack tight"><ul class="rows" data-rows><li data-uri-row><label><span class="hidden-visually">${t`Redirect URI`} <span data-number></span></span><input type="text" inputmode="url" autocomplete="off" autocapitalize="none" spellcheck="false"></label><button type="button" class="quiet small">${t`Remove`}</button></li></ul>
<div class="buttons"><button type="button" class="plain small" data-add>${t`Add a redirect URI`}</button></div></div></template>`

/**
 * Renders a warning about similar redirect URIs. It doesn't prevent submission. The browser module updates it as the
 * user types.
 */
function nearDuplicates(redirectUris: string): Html {
  const lines = [...new Set(redirectUris.split(/\s+/))].filter((uri) => uri !== '')
  const kinds = nearDuplicateKinds(lines)
  const said = Object.entries(words.nearDuplicates).map(
    ([kind, line]) =>
      html`<span data-kind="${kind}"${!kinds.some((found) => found === kind) && html` hidden`}>${line} </span>`,
  )
  return html`<div data-near-duplicates aria-live="polite"${kinds.length === 0 && html` hidden`}><p class="remark warn">${icon('warning')}<span>${said}${t`If your application uses only one, remove the other.`}</span></p></div>`
}
