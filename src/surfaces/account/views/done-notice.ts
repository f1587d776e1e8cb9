import { notice } from '../../../http/components/notice.ts'
import type { Html } from '../../../http/html.ts'

/** What the account page says after a change was made. */
const words = {
  name: 'Your name is changed.',
  email: 'Your e-mail address is changed. Sign in with it from now on.',
  'email-mailed': 'A link is on its way. Follow it within 24 hours: it confirms that the address is yours.',
  'email-kept': 'Your e-mail address stays as it is.',
  password: 'Your password is changed, and you are signed out everywhere else.',
  session: 'That browser is signed out.',
  sessions: 'You are signed out everywhere but here.',
  application: 'The application has no access any more. All it held has stopped working.',
} as const

export type Done = keyof typeof words

/** The account page, saying what was done. */
export function doneAddress(done: Done): string {
  return `/account?done=${done}`
}

/** @param done as the address has it; what it does not know it does not say. */
export function doneNotice(done: unknown): Html | false {
  const known = typeof done === 'string' && Object.hasOwn(words, done)
  return known && notice({ tone: 'good', body: words[done as Done] })
}
