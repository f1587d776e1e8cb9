import type { FastifyInstance } from 'fastify'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { button, buttonRow, linkButton, postForm } from '../../pages/components/button.ts'
import { section } from '../../pages/components/card.ts'
import { type Done, done } from '../../pages/flash.ts'
import { fieldErrorSummary } from '../../pages/form.ts'
import { formPage, formPost, question } from '../../pages/form-routes.ts'
import { type Html, html, t } from '../../pages/html.ts'
import type { Person } from '../../pages/page.ts'
import {
  applicationErrors,
  applicationForm,
  applicationOf,
  complete,
  type FilledApplication,
  type PostedApplication,
  settingsFields,
  valuesOf,
} from './application-form.ts'
import {
  type ApplicationPageServices,
  type ApplicationVisit,
  onApplication,
  sendApplication,
} from './application-pages.ts'
import { applicationPartPage, applicationQuestion, markNotices } from './views/application-frame.ts'

const saved = done(t`Changes saved.`)
const savedUnverified = done(
  t`Changes saved. The application is no longer verified. Ask the operator to verify it again.`,
  'warn',
)
const savedAsking = done(t`Changes saved. From now on, users must give their consent.`, 'warn')
const deleted = done(t`Application deleted. Its tokens no longer work.`)

/** Registers `/apps/{applicationId}`: an application's overview, settings and deletion. */
export function applicationRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  const { owned } = services.applications

  app.get(
    '/apps/:applicationId',
    onApplication(services)(async (visit) => sendApplication(services, visit, visit.application)),
  )

  /** Returns the work of the settings form, which is on two tabs. */
  const settings = (path: '' | '/settings') => ({
    form: applicationForm,
    errors: (error: unknown, { application }: ApplicationVisit, values: PostedApplication) =>
      applicationErrors(error, complete(values, valuesOf(application))),
    async post({ by, application, redirect }: ApplicationVisit, values: PostedApplication) {
      const form = applicationOf(complete(values, valuesOf(application)))
      const after = await owned.change(by.userId, application.id, form, by.origin)
      return redirect(`/apps/${application.id}${path}`, savedAs(application, after))
    },
  })
  formPost(app, '/apps/:applicationId', onApplication(services), {
    ...settings(''),
    show(visit, { values, errors, status }) {
      const filled = { values: complete(values, valuesOf(visit.application)), errors }
      return sendApplication(services, visit, visit.application, { status, filled })
    },
  })
  formPage(app, '/apps/:applicationId/settings', onApplication(services), {
    ...settings('/settings'),
    values: ({ application }) => valuesOf(application),
    show({ application, person, done, send }, { values, errors, status }) {
      const filled = { values: complete(values, valuesOf(application)), errors }
      return send(settingsPage({ application, person, done, filled, baseUrl: services.baseUrl }), status)
    },
  })

  question(app, '/apps/:applicationId/deletion', onApplication(services), {
    frame: applicationQuestion,
    asks: ({ application: { name, clientId } }) => ({
      title: t`Delete ${name}?`,
      effect: [
        t.html`All tokens of the application stop working immediately, and users can’t sign in with it. The client ID <code>${clientId}</code> is never reused.`,
        t`This can’t be undone.`,
      ],
      submit: t`Delete application`,
      cancel: t`Keep application`,
    }),
    async post({ by, application: { id }, request, redirect }) {
      await owned.remove(by.userId, id, by.origin)
      request.log.info({ applicationId: id, userId: by.userId }, 'application deleted')
      return redirect('/', deleted)
    },
  })
}

function savedAs(before: OwnedApplication, after: OwnedApplication): Done {
  if (before.verified && !after.verified) return savedUnverified
  return before.firstParty && !after.firstParty ? savedAsking : saved
}

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
