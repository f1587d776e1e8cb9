import { objectHead } from '../../../pages/components/navigation.ts'
import { done } from '../../../pages/flash.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { type AccountPart, accountParts, accountPlace } from '../../../pages/places.ts'

/** The data that every tab of the account needs. */
export interface AccountPageView {
  person: Person
  /** Notice about the last change. */
  done?: Html | undefined
}

/** Renders one tab of the account: the tabs, the flash message and the body. */
export function accountPartPage({ person, done: notice }: AccountPageView, part: AccountPart, body: Html): Html {
  return page({
    title: part === 'profile' ? t`Your account` : accountParts[part].name,
    place: accountPlace,
    ...(part !== 'profile' && { trail: [{ name: accountParts[part].name }] }),
    person,
    width: 'wide',
    body: html`${objectHead({
      name: t`Your account`,
      label: t`Sections of your account`,
      pages: Object.entries(accountParts).map(([each, { name, href }]) => ({ name, href, current: each === part })),
    })}
${notice}
${body}`,
  })
}

/** Maximum number of rows until the user asks for the whole list. Keeps the page short. */
const rowsAtFirst = 15

/** Returns the rows to show, and whether there are more. */
export function firstOf<Row>(rows: readonly Row[], all: boolean): { shown: readonly Row[]; more: boolean } {
  return all ? { shown: rows, more: false } : { shown: rows.slice(0, rowsAtFirst), more: rows.length > rowsAtFirst }
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
