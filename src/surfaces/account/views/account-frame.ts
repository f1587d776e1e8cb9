import { tabs } from '../../../pages/components/navigation.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { type AccountPart, accountParts, accountPlace } from '../../../pages/places.ts'
import { accountWords } from '../words.ts'
import { doneNotice } from './done-notice.ts'

/** The data that every tab of the account needs. */
export interface AccountPageView {
  person: Person
  /** Key of the flash message. */
  done?: string | undefined
}

/** Renders one tab of the account: the tabs, the flash message and the body. */
export function accountPartPage({ person, done }: AccountPageView, part: AccountPart, body: Html): Html {
  return page({
    title: part === 'profile' ? accountWords.title : accountParts[part].name,
    place: accountPlace,
    ...(part !== 'profile' && { trail: [{ name: accountParts[part].name }] }),
    person,
    width: 'wide',
    body: html`<h1>${accountWords.title}</h1>
${tabs({
  label: accountWords.parts,
  pages: Object.entries(accountParts).map(([each, { name, href }]) => ({ name, href, current: each === part })),
})}
${doneNotice(done)}
${body}`,
  })
}
