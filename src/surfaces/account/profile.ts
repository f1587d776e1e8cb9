import type { LinkedAccount, LinkedAccounts } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import type { User } from '../../domain/accounts/user-store.ts'
import type { Mount } from '../../http/new-app.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { button, card, linkButton, notice, postForm, state, table } from '../../pages/components/elements.ts'
import { showPage } from '../../pages/form-routes.ts'
import { type Html, html, plural, type Text, t, type Words } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { providerWords } from '../../pages/words/providers.ts'
import { sendAccountPart, withOnward } from './account-frame.ts'
import { aboutPin } from './pin.ts'

export function profileSurface(services: AccountServices): Mount {
  return (app) => {
    const onProfile = withOnward(services)
    showPage(app, '/account', onProfile, (visit) => sendProfile(services, visit))
    showPage(app, '/account/security', services.guard.signedIn, (visit) => sendSecurity(services, visit))
  }
}

async function userOf({ accounts }: AccountServices, { session: { userId } }: SignedInRequest): Promise<User> {
  const user = await accounts.users.find(userId)
  if (user === undefined) throw new Error(`signed-in user ${userId} has no account`)
  return user
}

async function sendProfile(services: AccountServices, visit: SignedInRequest) {
  const user = await userOf(services, visit)
  const { byMail } = services.accounts.recovery
  const body = card({
    body: html`<dl>
<dt>${t`Name`}</dt><dd>${user.name}</dd>
<dt>${t`Email address`}</dt><dd>${user.email ?? t`None`}${byMail && user.email !== null && html`<br>${verification(user)}`}</dd>
${user.chatPlatformId !== null && html`<dt>${t`Chat-platform account`}</dt><dd><code>${user.chatPlatformId}</code></dd>`}
${user.codeHostingId !== null && html`<dt>${t`Code-hosting account`}</dt><dd><code>${user.codeHostingId}</code></dd>`}
<dt>${t`User ID`}</dt><dd><code>${user.id}</code></dd>
</dl>
${byMail && waiting(user)}
<div class="buttons">${linkButton({ label: t`Change name`, href: '/account/name', tone: 'plain' })}${linkButton({
      label: user.email === null ? t`Add email address` : t`Change email address`,
      href: '/account/email',
      tone: 'plain',
    })}</div>`,
  })
  return sendAccountPart(visit, 'profile', body)
}

function verification({ emailVerified }: User): Html {
  return emailVerified
    ? state({ tone: 'good', word: t`Confirmed` })
    : state({ tone: 'warn', word: t`Not confirmed. Applications can’t see it.` })
}

function waiting({ email, emailVerified, pendingEmail }: User): Html | false {
  const resend = button({ label: t`Resend link`, tone: 'plain', small: true })
  const again = postForm({ action: '/account/email/link' }, resend)
  if (pendingEmail !== null) {
    const keep = button({ label: t`Keep current address`, tone: 'quiet', small: true })
    return notice({
      tone: 'neutral',
      body: html`<p>${t.html`Open the link sent to <strong>${pendingEmail}</strong> to switch to that address.`}</p>
<div class="buttons">${again}${postForm({ action: '/account/email/keep' }, keep)}</div>`,
    })
  }
  if (email === null || emailVerified) return false
  return notice({
    tone: 'neutral',
    body: html`<p>${t.html`Open the link sent to <strong>${email}</strong> to confirm your address.`}</p>${again}`,
  })
}

/** Labels for linked accounts whose provider is not configured. The operator can link such accounts. */
const linkedKinds: Record<LinkedAccount['provider'], Words> = {
  'chat-platform': t`Chat platform`,
  'code-hosting': t`Code hosting`,
  upstream: t`Other provider`,
}

interface Row {
  title: Text
  about: Text
  state: Html
  change: { label: Text; href: string } | undefined
}

async function sendSecurity(services: AccountServices, visit: SignedInRequest) {
  const body = table<Row>({
    caption: t`Sign-in methods, PIN and tokens`,
    rows: await securityRows(services, visit),
    columns: [
      { title: t`Method`, cell: ({ title, about }) => html`${title}<br><span class="soft small">${about}</span>` },
      { title: t`State`, cell: (row) => row.state },
      {
        title: t`Action`,
        cell: ({ change }) => (change === undefined ? '' : linkButton({ ...change, tone: 'plain', small: true })),
      },
    ],
  })
  return sendAccountPart(visit, 'security', body)
}

async function securityRows(services: AccountServices, visit: SignedInRequest): Promise<Row[]> {
  const { userId, pinUnlocked } = visit.session
  const user = await userOf(services, visit)
  const passkeyCount = (await services.passkeys.list(userId)).length
  const linked = await services.linkedAccounts.list(userId)
  const nowMs = services.clock.nowMs()
  const tokens = await services.accounts.personalTokens.list(userId)
  const tokenCount = tokens.filter(({ expiresAtMs }) => expiresAtMs > nowMs).length
  return [
    {
      title: t`Password`,
      about: t`Changing your password signs you out everywhere else and revokes your personal access tokens.`,
      state: user.hasPassword ? state({ tone: 'good', word: t`Set` }) : none(t`Not set`),
      change: { label: user.hasPassword ? t`Change password` : t`Set a password`, href: '/account/password' },
    },
    {
      title: t`Passkeys`,
      about: t`Sign in with your fingerprint, face or screen lock instead of a password.`,
      state:
        passkeyCount > 0
          ? state({ tone: 'good', word: plural(passkeyCount, t`1 passkey`, t`${passkeyCount} passkeys`) })
          : none(t`None`),
      change: { label: passkeyCount > 0 ? t`Manage passkeys` : t`Set up a passkey`, href: '/account/passkeys' },
    },
    {
      title: t`PIN`,
      about: aboutPin,
      state: user.hasPin
        ? state({ tone: 'good', word: pinUnlocked ? t`Set, unlocked in this browser` : t`Set` })
        : none(t`Not set`),
      change: { label: user.hasPin ? t`Change PIN` : t`Set a PIN`, href: '/account/pin' },
    },
    ...linkedRows(services.linkedAccounts.providers, linked),
    {
      title: t`Personal access tokens`,
      about: t`Let your own scripts work with your bots.`,
      state:
        tokenCount > 0
          ? state({ tone: 'good', word: plural(tokenCount, t`1 token`, t`${tokenCount} tokens`) })
          : none(t.in('token')`None`),
      change: { label: t`Manage tokens`, href: '/account/tokens' },
    },
  ]
}

/** Returns the row of linked accounts, or no row if no account is linked and no provider is configured. */
function linkedRows(providers: LinkedAccounts['providers'], accounts: readonly LinkedAccount[]): Row[] {
  const others = accounts.filter(({ provider }) => !providers.some(({ key }) => key === provider))
  if (providers.length === 0 && others.length === 0) return []
  const listed = [
    ...providers.map(({ key, name }) => ({
      name: providerWords(name).starts,
      account: accounts.find(({ provider }) => provider === key),
    })),
    ...others.map((account) => ({ name: linkedKinds[account.provider], account })),
  ]
  return [
    {
      title: t`Linked accounts`,
      about: t`Sign in with your account at another service.`,
      state: html`${listed.map(({ name, account }, index) => html`${index > 0 && html`<br>`}${t`${name}: ${account === undefined ? t`Not linked` : (account.name ?? html`<code>${account.subject}</code>`)}`}`)}`,
      change: providers.length > 0 ? { label: t`Manage accounts`, href: '/account/linked' } : undefined,
    },
  ]
}

function none(word: Text): Html {
  return state({ tone: 'neutral', word })
}
