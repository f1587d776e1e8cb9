import {
  type PersonalToken,
  type PersonalTokenScope,
  personalTokenScopes,
} from '../../../domain/accounts/personal-tokens/personal-tokens.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { accountForm, passwordField } from '../../../pages/account-form.ts'
import { confirmEmailFirst } from '../../../pages/account-refusals.ts'
import { section } from '../../../pages/components/card.ts'
import { notice } from '../../../pages/components/notice.ts'
import { secretReveal } from '../../../pages/components/secrets.ts'
import { table } from '../../../pages/components/table.ts'
import { time, timeUntil } from '../../../pages/components/time.ts'
import { type Filled, form, selectField, severalOf, textField } from '../../../pages/form.ts'
import { type Html, html, t, type Words } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { secretTableWords } from '../../../pages/words/components.ts'

const tokensWords = {
  once: {
    title: t`Your new token`,
    label: t`Token`,
    explain: t`Copy it now. It is shown only once.`,
  },
}

/** Hints next to the scopes' check boxes. */
const tokenScopeWords: Record<PersonalTokenScope, Words> = {
  'bots.read': t`View your bots and their status`,
  'bots.write': t`Turn hosting and the public status on and off`,
  'deliveries.read': t`View deliveries with the contents of webhooks`,
  'deliveries.write': t`Replay, retry and discard webhooks`,
  'flows.read': t`View flows`,
  'flows.write': t`Change flows, their keys and signatures`,
  'logs.read': t`View logs`,
  'runtimes.read': t`View your runtimes`,
  'runtimes.write': t`Create and remove runtimes and their keys`,
}

export const tokenForm = form(
  {
    name: textField({
      label: t`Name`,
      hint: t`For example, the script that uses it. At most ${limits.personalTokenNameMaxCharacters} characters.`,
      autocomplete: 'off',
    }),
    scope: severalOf<string>({
      label: t.in('personal access token')`Scopes`,
      hint: t`Choose only what the script needs.`,
      among: personalTokenScopes.map((scope) => ({
        value: scope,
        label: html`<code>${scope}</code>`,
        hint: tokenScopeWords[scope],
      })),
    }),
    days: selectField({
      label: t`Valid for`,
      options: limits.personalTokenLifetimesDays.map((days) => ({ value: String(days), label: t`${days} days` })),
    }),
    password: passwordField(),
  },
  { showsFirst: true },
)
export type TokenInput = ReturnType<typeof tokenForm.read>

interface TokensView {
  person: Person
  tokens: readonly PersonalToken[]
  nowMs: number
  /** Whether the user must confirm their email address before creating a token. */
  confirmFirst: boolean
  done: Html | undefined
  /** The token created by this request. */
  clearText: string | undefined
  filled: Filled<TokenInput>
  asksPassword: boolean
  portalUrl: string
}

export function tokensPage(view: TokensView): Html {
  const { person, tokens, nowMs, done, clearText, filled, portalUrl } = view
  return page({
    title: filled.errors.length > 0 ? t`Token not created` : t`Personal access tokens`,
    place: accountPlace,
    trail: [accountParts.security, { name: t`Personal access tokens` }],
    person,
    width: 'wide',
    canonical: '/account/tokens',
    shownOnce: clearText !== undefined,
    body: html`${done}
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

function creationSection({ filled, asksPassword, confirmFirst }: TokensView): Html {
  return section({
    id: 'new',
    title: t`New token`,
    about: html`${confirmFirst && notice({ tone: 'warn', body: confirmEmailFirst })}`,
    body: accountForm(tokenForm, filled, {
      action: '/account/tokens',
      does: t`Create token`,
      without: [!asksPassword && 'password'],
    }),
  })
}
