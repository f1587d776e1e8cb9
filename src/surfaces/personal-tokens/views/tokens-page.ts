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
import { formTokenField, type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { confirmEmailFirst } from '../../../pages/words/account-form.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import { revocationWords, tokenScopeWords, tokensWords } from '../words.ts'

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
    title: hasErrors(errors) ? tokensWords.notCreated : tokensWords.title,
    place: accountPlace,
    trail: [accountParts.security, { name: tokensWords.title }],
    person,
    width: 'wide',
    canonical: '/account/tokens',
    shownOnce: clearText !== undefined,
    body: html`${done === 'revoked' && notice({ tone: 'good', body: tokensWords.revoked })}
<h1>${tokensWords.title}</h1>
${clearText !== undefined && secretReveal({ ...tokensWords.once, clearText, testId: 'personal-token' })}
<p>${tokensWords.about(`${portalUrl}/guides/owner-api`)}</p>
<p>${tokensWords.ends}</p>
${tokens.length === 0 ? html`<p>${tokensWords.none}</p>` : tokenTable(tokens, nowMs)}
${creationSection(view)}`,
  })
}

function tokenTable(tokens: readonly PersonalToken[], nowMs: number): Html {
  return html`${table({
    caption: tokensWords.caption,
    rows: tokens,
    columns: [
      {
        title: tokensWords.name,
        cell: ({ name, lastFour }) => html`${name}<br><code class="soft small">••••${lastFour}</code>`,
      },
      { title: tokensWords.scopes, cell: ({ scopes }) => html`<span class="small">${scopes.join(', ')}</span>` },
      {
        title: tokensWords.expires,
        cell: ({ expiresAtMs }) => (expiresAtMs <= nowMs ? tokensWords.expired : timeUntil(expiresAtMs, nowMs)),
      },
      {
        title: secretTableWords.lastUsed,
        cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? secretTableWords.never : time(lastUsedAtMs, nowMs)),
      },
      {
        title: tokensWords.actions,
        cell: ({ id, name }) =>
          html`<a class="button plain small" href="/account/tokens/${id}/revocation">${tokensWords.revoke(name)}</a>`,
      },
    ],
  })}
<p class="hint">${secretTableWords.lastUsedIsLate}</p>`
}

function creationSection({ input, errors, asksPassword, confirmFirst }: TokensView): Html {
  return section({
    id: 'new',
    title: tokensWords.create.title,
    about: html`${confirmFirst && notice({ tone: 'warn', body: confirmEmailFirst })}`,
    body: accountForm({
      action: '/account/tokens',
      errors,
      does: tokensWords.create.submit,
      fields: [
        textField({
          name: 'name',
          label: tokensWords.name,
          hint: tokensWords.create.nameHint,
          autocomplete: 'off',
          value: input.name,
          error: errors.fields.name,
        }),
        choices({
          name: 'scope',
          label: tokensWords.scopes,
          hint: tokensWords.create.scopesHint,
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
          label: tokensWords.create.lifetime,
          options: limits.personalTokenLifetimesDays.map((days) => ({
            value: String(days),
            label: tokensWords.create.days(days),
          })),
          value: input.days,
          error: errors.fields.days,
        }),
        asksPassword && passwordField(errors, { label: tokensWords.create.password }),
      ],
    }),
  })
}

export function revocationPage(view: { person: Person; token: PersonalToken; nowMs: number }): Html {
  const { person, token, nowMs } = view
  const title = revocationWords.title(token.name)
  return page({
    title,
    place: accountPlace,
    trail: [accountParts.security, { name: tokensWords.title, href: '/account/tokens' }],
    person,
    width: 'narrow',
    body: html`<h1>${title}</h1>
<div class="card"><div class="stack tight"><p>${revocationWords.effect}</p>
<p class="soft small">${secretTableWords.lastUsed}: ${token.lastUsedAtMs === null ? secretTableWords.never : time(token.lastUsedAtMs, nowMs)}</p></div>
<form method="post" action="/account/tokens/${token.id}/revocation">${formTokenField}
${buttonRow(button({ label: revocationWords.submit, tone: 'dangerous' }), linkButton({ label: revocationWords.cancel, href: '/account/tokens', tone: 'quiet' }))}
</form></div>`,
  })
}
