import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { button, buttonRow, linkButton, postForm } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { notice } from '../../../pages/components/notice.ts'
import { fieldErrorSummary } from '../../../pages/form.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import type { FilledApplication } from '../application-fields.ts'
import { settingsFields } from './application-form.ts'
import { applicationPartPage } from './application-frame.ts'

interface SettingsView {
  person: Person
  application: OwnedApplication
  /** The sign-in page's origin. */
  baseUrl: string
  /** Notice about the last change. */
  done: Html | undefined
  /** The form. Its values differ from the application if a change was refused. */
  filled: FilledApplication
}

/** Renders the settings of an application: the form, a link to event subscriptions, and deletion. */
export function settingsPage(view: SettingsView): Html {
  const { application, baseUrl, done, filled } = view
  const address = `/apps/${application.id}`
  return applicationPartPage(view, {
    part: 'settings',
    ...(filled.errors.length > 0 && { title: t`Changes not saved` }),
    canonical: `${address}/settings`,
    body: html`${fieldErrorSummary(filled.errors)}
${done}
${section({
  aside: true,
  id: 'settings',
  title: t`Settings`,
  about: html`<p>${t`Changes take effect with the next request.`}</p>`,
  body: postForm(
    { action: `${address}/settings`, style: 'card compact', novalidate: true },
    markNotices(application),
    settingsFields(filled),
    buttonRow(
      button({ label: t`Save changes`, tone: 'primary' }),
      filled.errors.length > 0 && linkButton({ label: t`Discard changes`, href: `${address}/settings`, tone: 'quiet' }),
    ),
  ),
})}
${section({
  aside: true,
  id: 'events',
  title: t`Event subscriptions`,
  about: html`<p>${t`Tell your server when users revoke access, or a refresh token is used twice.`}</p>`,
  body: html`<p>${linkButton({ label: t`Manage subscriptions`, href: `${baseUrl}/account/subscriptions`, tone: 'plain' })}</p>`,
})}
${section({
  aside: true,
  id: 'delete',
  title: t`Delete`,
  about: html`<p>${t`All tokens of the application stop working immediately. You’ll be asked to confirm on the next page.`}</p>`,
  body: html`<form method="get" action="${address}/deletion">${buttonRow(button({ label: t`Delete application`, tone: 'dangerous' }))}</form>`,
})}`,
  })
}

const marksEnd = t`This applies until you change the name, website, environment or redirect URIs. The operator must then approve the application again.`

/** Renders warnings about what the application loses if its settings change. */
export function markNotices({ verified, firstParty }: OwnedApplication): Html {
  return html`${verified && notice({ tone: 'warn', title: t`This application is verified`, body: marksEnd })}${
    firstParty &&
    notice({ tone: 'warn', title: t`Users sign in to this application without a consent screen`, body: marksEnd })
  }`
}
