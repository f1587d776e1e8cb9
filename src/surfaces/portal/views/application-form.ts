import { choices, textArea, textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import type { ApplicationField, ApplicationInput, FieldErrors } from '../application-fields.ts'
import { environmentNames } from './environment-tag.ts'

/** The fields that registration and settings have in common, with what was typed and what is wrong with it. */
export function applicationFields(input: ApplicationInput, errors: FieldErrors): Html {
  const errorsOf = (field: ApplicationField) =>
    errors.filter((error) => error.field === field).map(({ message }) => message)
  return html`${textField({
    name: 'name',
    label: 'Name',
    hint: 'People see it when they are asked to allow your application.',
    autocomplete: 'off',
    value: input.name,
    error: errorsOf('name'),
  })}
${textField({
  name: 'website_url',
  label: 'Website URL',
  hint: 'Where people learn who you are. It begins with https://.',
  inputmode: 'url',
  autocomplete: 'url',
  code: true,
  value: input.websiteUrl,
  error: errorsOf('website_url'),
})}
${choices({
  name: 'environment',
  label: 'Environment',
  choose: 'one',
  chosen: [input.environment],
  among: [
    { value: 'production', label: environmentNames.production, hint: 'Redirect URIs take https:// only.' },
    {
      value: 'development',
      label: environmentNames.development,
      hint: html`Also <code>http://localhost</code> with its port, and <code>http://127.0.0.1</code> and <code>http://[::1]</code> on any port.`,
    },
  ],
})}
${textArea({
  name: 'redirect_uris',
  label: 'Redirect URIs',
  hint: html`Where people return to, one a line, such as <code>https://acme.example/callback</code>. They are matched character by character: a slash at the end makes another address.`,
  rows: 4,
  code: true,
  value: input.redirectUris,
  error: errorsOf('redirect_uris'),
})}
${choices({
  name: 'require_pkce',
  label: 'PKCE',
  choose: 'one',
  chosen: [input.requirePkce ? 'yes' : 'no'],
  among: [
    { value: 'no', label: 'Optional', hint: 'Checked whenever your application sends it.' },
    {
      value: 'yes',
      label: 'Required',
      hint: html`An authorization request without <code>code_challenge</code> (S256) is refused. Choose it once your client library sends one: a stolen code is then worth nothing.`,
    },
  ],
})}`
}
