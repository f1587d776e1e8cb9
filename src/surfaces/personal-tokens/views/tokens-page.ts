import {
  type PersonalToken,
  personalTokenScopes,
} from '../../../domain/accounts/personal-tokens/personal-token-store.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { accountForm, type FormErrors, hasErrors, passwordField } from '../../../pages/account-form.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { choices, selectField, textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { secretReveal } from '../../../pages/components/secrets.ts'
import { table } from '../../../pages/components/table.ts'
import { time, timeUntil } from '../../../pages/components/time.ts'
import { formTokenField, type Html, html, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { confirmEmailFirst } from '../../../pages/words/account-form.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import { tokenScopeWords, tokensWords } from '../words.ts'

/** Input of the form that creates a token. */
export interface TokenInput {
  name: string
  scopes: readonly string[]
  days: string
}

interface TokensView {
  person: Person
  tokens: readonly PersonalToken[]
  nowMs: number
  /** Whether the user must confirm their email address before creating a token. */
  confirmFirst: boolean
  /** Key of the flash message. */
  done: string | undefined
  /** The token created by this request. */
  clearText: string | undefined
  input: TokenInput
  errors: FormErrors
  asksPassword: boolean
  portalUrl: string
}

export function tokensPage(view: TokensView): Html {
  const { person, tokens, nowMs, done, clearText, errors, portalUrl } = view
  return page({
    title: hasErrors(errors) ? t`Token not created` : t`Personal access tokens`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Personal access tokens` }],
    person,
    width: 'wide',
    canonical: '/account/tokens',
    shownOnce: clearText !== undefined,
    body: html`${done === 'revoked' && notice({ tone: 'good', body: t`Token revoked.` })}
<h1>${t`Personal access tokens`}</h1>
${clearText !== undefined && secretReveal({ ...tokensWords.once, clearText, testId: 'personal-token' })}
<p>${t.html`With a token, your scripts use the <a href="${portalUrl}/guides/owner-api">API for owners</a>. A token can do only what you can do.`}</p>
<p>${t`A token stops working when it expires, when you revoke it, when your password changes, and when you sign out everywhere else.`}</p>
${tokens.length === 0 ? html`<p>${t`You have no tokens yet.`}</p>` : tokenTable(tokens, nowMs)}
${creationSection(view)}`,
  })
}

function tokenTable(tokens: readonly PersonalToken[], nowMs: number): Html {
  return html`${table({
    caption: t`Your tokens, newest first`,
    rows: tokens,
    columns: [
      {
        title: t`Name`,
        cell: ({ name, lastFour }) => html`${name}<br><code class="soft small">••••${lastFour}</code>`,
      },
      {
        title: t.in('personal access token')`Scopes`,
        cell: ({ scopes }) => html`<span class="small">${scopes.join(', ')}</span>`,
      },
      {
        title: t`Expires`,
        cell: ({ expiresAtMs }) => (expiresAtMs <= nowMs ? t`Expired` : timeUntil(expiresAtMs, nowMs)),
      },
      {
        title: t`Last used`,
        cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? t`Never` : time(lastUsedAtMs, nowMs)),
      },
      {
        title: t`Revoke`,
        cell: ({ id, name }) =>
          html`<a class="button plain small" href="/account/tokens/${id}/revocation">${t.html`Revoke<span class="hidden-visually"> ${name}</span>`}</a>`,
      },
    ],
  })}
<p class="hint">${secretTableWords.lastUsedIsLate}</p>`
}

function creationSection({ input, errors, asksPassword, confirmFirst }: TokensView): Html {
  return section({
    id: 'new',
    title: t`New token`,
    about: html`${confirmFirst && notice({ tone: 'warn', body: confirmEmailFirst })}`,
    body: accountForm({
      action: '/account/tokens',
      errors,
      does: t`Create token`,
      fields: [
        textField({
          name: 'name',
          label: t`Name`,
          hint: t`For example, the script that uses it. At most ${limits.personalTokenNameMaxCharacters} characters.`,
          autocomplete: 'off',
          value: input.name,
          error: errors.fields.name,
        }),
        choices({
          name: 'scope',
          label: t.in('personal access token')`Scopes`,
          hint: t`Choose only what the script needs.`,
          choose: 'several',
          chosen: input.scopes,
          among: personalTokenScopes.map((scope) => ({
            value: scope,
            label: html`<code>${scope}</code>`,
            hint: tokenScopeWords[scope],
          })),
          error: errors.fields.scope,
        }),
        selectField({
          name: 'days',
          label: t`Valid for`,
          options: limits.personalTokenLifetimesDays.map((days) => ({
            value: String(days),
            label: t`${days} days`,
          })),
          value: input.days,
          error: errors.fields.days,
        }),
        asksPassword && passwordField(errors, { label: t`Password` }),
      ],
    }),
  })
}

export function revocationPage(view: { person: Person; token: PersonalToken; nowMs: number }): Html {
  const { person, token, nowMs } = view
  const title = t`Revoke ${token.name}?`
  return page({
    title,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Personal access tokens`, href: '/account/tokens' }],
    person,
    width: 'narrow',
    body: html`<h1>${title}</h1>
<div class="card"><div class="stack tight"><p>${t`Scripts that use this token stop working immediately. This can’t be undone.`}</p>
<p class="soft small">${t`Last used`}: ${token.lastUsedAtMs === null ? t`Never` : time(token.lastUsedAtMs, nowMs)}</p></div>
<form method="post" action="/account/tokens/${token.id}/revocation">${formTokenField}
${buttonRow(button({ label: t`Revoke token`, tone: 'dangerous' }), linkButton({ label: t`Cancel`, href: '/account/tokens', tone: 'quiet' }))}
</form></div>`,
  })
}
