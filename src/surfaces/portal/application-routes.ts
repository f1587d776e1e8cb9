import type { FastifyInstance } from 'fastify'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { type Done, done } from '../../pages/flash.ts'
import { formPage, formPost, question } from '../../pages/form-routes.ts'
import { t } from '../../pages/html.ts'
import {
  applicationErrors,
  applicationForm,
  applicationOf,
  complete,
  type PostedApplication,
  valuesOf,
} from './application-fields.ts'
import {
  type ApplicationPageServices,
  type ApplicationVisit,
  onApplication,
  sendApplication,
} from './application-pages.ts'
import { applicationQuestion } from './views/application-frame.ts'
import { settingsPage } from './views/settings-page.ts'

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
