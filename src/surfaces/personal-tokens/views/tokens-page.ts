import { personalTokenScopes } from '../../../domain/accounts/personal-tokens/personal-token-scope.ts'
import type { PersonalToken } from '../../../domain/accounts/personal-tokens/personal-token-store.ts'
import { personalTokenLifetimesDays } from '../../../domain/limits/limits.ts'
import { accountForm, type FormErrors, hasErrors } from '../../../pages/account-form.ts'
import { section } from '../../../pages/components/card.ts'
import { choices, selectField, textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { secretReveal } from '../../../pages/components/secrets.ts'
import { table } from '../../../pages/components/table.ts'
import { time, timeUntil } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import { tokenScopeWords, tokensWords as words } from '../words.ts'

/** Input of the form that creates a token. */
export interface TokenInput {
  name: string
  scopes: readonly string[]
  days: string
}

export interface TokensView {
  person: Person
  tokens: readonly PersonalToken[]
  nowMs: number
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
    title: hasErrors(errors) ? words.notCreated : words.title,
    place: accountPlace,
    trail: [accountParts.security, { name: words.title }],
    person,
    width: 'wide',
    canonical: '/account/tokens',
    shownOnce: clearText !== undefined,
    body: html`${done === 'revoked' && notice({ tone: 'good', body: words.revoked })}
<h1>${words.title}</h1>
${clearText !== undefined && secretReveal({ ...words.once, clearText, testId: 'personal-token' })}
<p>${words.about(`${portalUrl}/guides/owner-api`)}</p>
<p>${words.ends}</p>
${tokens.length === 0 ? html`<p>${words.none}</p>` : tokenTable(tokens, nowMs)}
${creationSection(view)}`,
  })
}

function tokenTable(tokens: readonly PersonalToken[], nowMs: number): Html {
  return html`${table({
    caption: words.caption,
    rows: tokens,
    columns: [
      {
        title: words.name,
        cell: ({ name, lastFour }) => html`${name}<br><code class="soft small">••••${lastFour}</code>`,
      },
      { title: words.scopes, cell: ({ scopes }) => html`<span class="small">${scopes.join(', ')}</span>` },
      {
        title: words.expires,
        cell: ({ expiresAtMs }) => (expiresAtMs <= nowMs ? words.expired : timeUntil(expiresAtMs, nowMs)),
      },
      {
        title: secretTableWords.lastUsed,
        cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? secretTableWords.never : time(lastUsedAtMs, nowMs)),
      },
      {
        title: words.actions,
        cell: ({ id, name }) =>
          html`<a class="button plain small" href="/account/tokens/${id}/revocation">${words.revoke(name)}</a>`,
      },
    ],
  })}
<p class="hint">${secretTableWords.lastUsedIsLate}</p>`
}

function creationSection({ person, input, errors, asksPassword }: TokensView): Html {
  return section({
    id: 'new',
    title: words.create.title,
    about: html``,
    body: accountForm({
      action: '/account/tokens',
      formToken: person.formToken,
      errors,
      does: words.create.submit,
      fields: [
        textField({
          name: 'name',
          label: words.name,
          hint: words.create.nameHint,
          autocomplete: 'off',
          value: input.name,
          error: errors.fields.name,
        }),
        choices({
          name: 'scope',
          label: words.scopes,
          hint: words.create.scopesHint,
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
          label: words.create.lifetime,
          options: personalTokenLifetimesDays.map((days) => ({ value: String(days), label: words.create.days(days) })),
          value: input.days,
          error: errors.fields.days,
        }),
        asksPassword &&
          textField({
            name: 'password',
            label: words.create.password,
            type: 'password',
            autocomplete: 'current-password',
            error: errors.fields.password,
          }),
      ],
    }),
  })
}
