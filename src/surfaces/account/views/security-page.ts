import type { LinkedAccount } from '../../../domain/accounts/linked-accounts/linked-accounts.ts'
import type { Passkey } from '../../../domain/accounts/passkeys/passkeys.ts'
import type { User } from '../../../domain/accounts/user-store.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { state } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import { providerWords } from '../../../pages/words/providers.ts'
import { accountWords } from '../words.ts'
import { type AccountPageView, accountPartPage } from './account-frame.ts'

const { security, password, pin, passkeys: passkeyWords, linked: linkedWords, tokens } = accountWords

interface SecurityView extends AccountPageView {
  user: User
  pinUnlocked: boolean
  passkeys: readonly Passkey[]
  /** Configured providers, and the accounts that the user has linked. */
  linked: { providers: readonly { key: string; name: string }[]; accounts: readonly LinkedAccount[] }
  /** Number of personal access tokens that have not expired. */
  tokenCount: number
}

interface Row {
  title: Text
  about: Text
  state: Html
  change: { label: Text; href: string } | undefined
}

export function securityPage(view: SecurityView): Html {
  return accountPartPage(
    view,
    'security',
    table<Row>({
      caption: security.caption,
      rows: rowsOf(view),
      columns: [
        {
          title: security.what,
          cell: ({ title, about }) => html`${title}<br><span class="soft small">${about}</span>`,
        },
        { title: security.state, cell: (row) => row.state },
        {
          title: secretTableWords.action,
          cell: ({ change }) => (change === undefined ? '' : linkButton({ ...change, tone: 'plain', small: true })),
        },
      ],
    }),
  )
}

function rowsOf({ user, pinUnlocked, passkeys, linked, tokenCount }: SecurityView): Row[] {
  const passkeyCount = passkeys.length
  return [
    {
      title: password.title,
      about: password.about,
      state: user.hasPassword ? state({ tone: 'good', word: password.set }) : none(password.notSet),
      change: { label: user.hasPassword ? password.change : password.setOne, href: '/account/password' },
    },
    {
      title: passkeyWords.title,
      about: passkeyWords.about,
      state:
        passkeyCount > 0 ? state({ tone: 'good', word: passkeyWords.count(passkeyCount) }) : none(passkeyWords.none),
      change: { label: passkeyCount > 0 ? passkeyWords.manage : passkeyWords.setUp, href: '/account/passkeys' },
    },
    {
      title: pin.title,
      about: pin.about,
      state: user.hasPin ? state({ tone: 'good', word: pinUnlocked ? pin.unlocked : pin.set }) : none(pin.notSet),
      change: { label: user.hasPin ? pin.change : pin.setOne, href: '/account/pin' },
    },
    ...linkedRows(linked),
    {
      title: tokens.title,
      about: tokens.about,
      state: tokenCount > 0 ? state({ tone: 'good', word: tokens.count(tokenCount) }) : none(tokens.none),
      change: { label: tokens.manage, href: '/account/tokens' },
    },
  ]
}

/** Returns the row of linked accounts, or no row if no account is linked and no provider is configured. */
function linkedRows({ providers, accounts }: SecurityView['linked']): Row[] {
  const others = accounts.filter(({ provider }) => !providers.some(({ key }) => key === provider))
  if (providers.length === 0 && others.length === 0) return []
  const listed = [
    ...providers.map(({ key, name }) => ({
      name: providerWords(name).starts,
      account: accounts.find(({ provider }) => provider === key),
    })),
    ...others.map((account) => ({ name: linkedWords.kinds[account.provider], account })),
  ]
  return [
    {
      title: linkedWords.title,
      about: linkedWords.about,
      state: html`${listed.map(({ name, account }, index) => html`${index > 0 && html`<br>`}${name}: ${account === undefined ? linkedWords.notLinked : (account.name ?? html`<code>${account.subject}</code>`)}`)}`,
      change: providers.length > 0 ? { label: linkedWords.change, href: '/account/linked' } : undefined,
    },
  ]
}

function none(word: Text): Html {
  return state({ tone: 'neutral', word })
}
