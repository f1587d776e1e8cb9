import type { LinkedAccount } from '../../domain/accounts/linked-accounts/linked-accounts.ts'
import { done } from '../../pages/flash.ts'
import { plural, t, type Words } from '../../pages/html.ts'

export const accountWords = {
  pin: {
    about: t`Your PIN protects your personal data and changes made in your name. You enter it when an application requests such access.`,
  },
  passkeys: {
    count: (count: number): Words => plural(count, t`1 passkey`, t`${count} passkeys`),
  },
  tokens: {
    count: (count: number): Words => plural(count, t`1 token`, t`${count} tokens`),
  },
  linked: {
    /** Labels for linked accounts whose provider is not configured. The operator can link such accounts. */
    kinds: {
      'chat-platform': t`Chat platform`,
      'code-hosting': t`Code hosting`,
      upstream: t`Other provider`,
    } satisfies Record<LinkedAccount['provider'], Words>,
  },
  sessions: {
    at: (address: string | null): Words => (address === null ? t`at an unknown IP address` : t`at ${address}`),
  },
  applications: {
    permissions: (count: number): Words => plural(count, t`1 permission`, t`${count} permissions`),
  },
}

/** Notices that the tab shows after a change. */
export const accountDone = {
  name: done(t`Name changed.`),
  email: done(t`Email address changed. Use it the next time you sign in.`),
  emailMailed: done(t`Link sent. Open it within 24 hours to confirm the address.`),
  emailKept: done(t`Your email address stays the same.`),
  password: done(t`Password saved. You’re signed out everywhere else.`),
  pin: done(t`PIN saved. This browser is unlocked.`),
  session: done(t`Browser signed out.`),
  sessions: done(t`You’re signed out everywhere else.`),
  application: done(t`Access revoked. The application’s tokens no longer work.`),
}
