import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApplicationRefusal, type ApplicationRefusalReason } from '../../domain/applications/application-form.ts'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import * as limits from '../../domain/limits/limits.ts'
import { button, buttonRow, linkButton, notice, postForm, section } from '../../pages/components/elements.ts'
import { time } from '../../pages/components/figures.ts'
import { errorNotices, type Filled, fieldErrorSummary, form, textField } from '../../pages/form.ts'
import { type Done, done, numberIn } from '../../pages/form-posts.ts'
import { errorsBy, formPage, formPost, question, type Refusals, sendForm, showPage } from '../../pages/form-routes.ts'
import { type Html, html, t } from '../../pages/html.ts'
import { applicationsPlace } from '../../pages/places.ts'
import * as forms from './application-form.ts'
import * as pages from './application-pages.ts'
import { sendApplication } from './overview.ts'

const saved = done(t`Changes saved.`)
const savedUnverified = done(
  t`Changes saved. The application is no longer verified. Ask the operator to verify it again.`,
  'warn',
)
const savedAsking = done(t`Changes saved. From now on, users must give their consent.`, 'warn')
const deleted = done(t`Application deleted. Its tokens no longer work.`)

/** Registers `/apps/{applicationId}`, its settings and deletion, `…/secret` (rotation), `…/secrets` (a second one). */
export function applicationRoutes(app: FastifyInstance, services: pages.PortalServices): void {
  const { owned } = services.applications

  showPage(app, '/apps/:applicationId', pages.onApplication(services), sendApplication)

  /** Returns the work of the settings form, which is on two tabs. */
  const settings = (
    path: '' | '/settings',
    send: (
      visit: pages.ApplicationVisit,
      filled: Filled<forms.ApplicationValues>,
    ) => FastifyReply | Promise<FastifyReply>,
  ) => ({
    form: forms.applicationForm,
    options: forms.applicationFormOptions,
    errors: (error: unknown, { application }: pages.ApplicationVisit, values: forms.PostedApplication) =>
      forms.applicationErrors(error, forms.complete(values, forms.valuesOf(application))),
    show: (visit: pages.ApplicationVisit, { values, ...rejected }: Filled<forms.PostedApplication>) =>
      send(visit, { ...rejected, values: forms.complete(values, forms.valuesOf(visit.application)) }),
    async post({ by, application, redirect }: pages.ApplicationVisit, values: forms.PostedApplication) {
      const form = forms.applicationOf(forms.complete(values, forms.valuesOf(application)))
      const after = await owned.change(by.userId, application.id, form, by.origin)
      return redirect(`/apps/${application.id}${path}`, savedAs(application, after))
    },
  })
  const onOverview = settings('', (visit, { status, ...filled }) => sendApplication(visit, { status, filled }))
  formPost(app, '/apps/:applicationId', pages.onApplication(services), onOverview)
  formPage(app, '/apps/:applicationId/settings', pages.onApplication(services), {
    ...settings('/settings', sendSettings),
    values: ({ application }) => forms.valuesOf(application),
  })

  question(app, '/apps/:applicationId/deletion', pages.onApplication(services), {
    frame: pages.applicationQuestion,
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
  secretRoutes(app, services)
}

function savedAs(before: OwnedApplication, after: OwnedApplication): Done {
  if (before.verified && !after.verified) return savedUnverified
  return before.firstParty && !after.firstParty ? savedAsking : saved
}

function sendSettings(visit: pages.ApplicationVisit, filled: Filled<forms.ApplicationValues>): FastifyReply {
  const { services, application, done } = visit
  const address = `/apps/${application.id}`
  return pages.sendApplicationPart(visit, {
    status: filled.status,
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
    pages.markNotices(application),
    forms.settingsFields(filled),
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
  body: html`<p>${linkButton({ label: t`Manage subscriptions`, href: `${services.baseUrl}/account/subscriptions`, tone: 'plain' })}</p>`,
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

const secretForm = form(
  {
    label: textField({
      label: t`Label`,
      hint: t`For example, the server that uses it.`,
      autocomplete: 'off',
      autofocus: true,
    }),
  },
  { focusesError: true },
)

const refusals: Refusals<Extract<ApplicationRefusalReason, `secret${string}`>> = {
  'secret-label-missing': ['label', t`Enter a label to tell the two secrets apart.`],
  'secret-label-too-long': ['label', t`Use at most ${limits.secretLabelMaxCharacters} characters.`],
  'secrets-too-many': ['label', t`You already have two secrets. Revoke one first.`],
  'secret-unknown': t`This secret no longer exists. Nothing was changed.`,
  'secret-needed': t`This is the only secret, and your application needs one. Rotate it instead.`,
}
const secretErrors = errorsBy(ApplicationRefusal, refusals)

function masked(lastFour: readonly string[]): Html {
  return html`${lastFour.map((end, index) => html`${index > 0 && ', '}<code>••••${end}</code>`)}`
}

function secretRoutes(app: FastifyInstance, services: pages.PortalServices): void {
  const { applications, clock } = services
  const { secrets } = applications

  question(app, '/apps/:applicationId/secret', pages.onApplication(services), {
    frame: pages.applicationQuestion,
    asks({ application: { name, secrets } }) {
      const lastFour = secrets.map((secret) => secret.lastFour)
      return {
        title: t`Rotate the client secret of ${name}?`,
        effect: [
          lastFour.length === 0
            ? t`A client secret is created. It is shown only once.`
            : t`All current secrets stop working immediately: ${masked(lastFour)}. The new secret is shown only once.`,
          t`Until your application has the new secret, it can’t exchange codes or refresh tokens. Tokens that it already holds stay valid.`,
        ],
        submit: t`Rotate secret`,
        cancel: t`Keep current secrets`,
      }
    },
    async post(visit) {
      const { by, request } = visit
      const { application, clearTextSecret } = await secrets.rotate(by.userId, visit.application.id, by.origin)
      request.log.info({ applicationId: application.id, userId: by.userId }, 'client secret rotated')
      return sendApplication({ ...visit, application }, { created: { clearTextSecret, because: 'rotated' } })
    },
  })

  formPage(app, '/apps/:applicationId/secrets', pages.onApplication(services), {
    form: secretForm,
    values: () => ({ label: '' }),
    errors: secretErrors,
    show(visit, filled) {
      const { application } = visit
      return sendForm(visit, secretForm, filled, {
        place: applicationsPlace,
        trail: [pages.applicationCrumb(application), { name: t`New client secret` }],
        title: t`New client secret`,
        explains: t`Both secrets stay valid while you update your servers. Then revoke the old one. If others may have seen a secret, rotate it instead.`,
        action: `/apps/${application.id}/secrets`,
        submit: t`Create secret`,
        back: `/apps/${application.id}`,
      })
    },
    async post(visit, { label }) {
      const { by, request } = visit
      const secret = { label, origin: by.origin }
      const { application, clearTextSecret } = await secrets.add(by.userId, visit.application.id, secret)
      request.log.info({ applicationId: application.id, userId: by.userId }, 'client secret created')
      return sendApplication({ ...visit, application }, { created: { clearTextSecret, because: 'added' } })
    },
  })

  question(app, '/apps/:applicationId/secrets/:number/revocation', pages.onApplication(services), {
    frame: pages.applicationQuestion,
    asks({ application, request }) {
      const ends = application.secrets.find(({ number }) => number === numberIn(request))
      const stays = application.secrets.find((secret) => secret !== ends)
      if (ends === undefined) throw new ApplicationRefusal('secret-unknown')
      if (stays === undefined) throw new ApplicationRefusal('secret-needed')
      const { lastUsedAtMs } = ends
      const used =
        lastUsedAtMs === null
          ? t`This secret has not been used yet.`
          : t`This secret was last used ${time(lastUsedAtMs, clock.nowMs())}.`
      return {
        title: t`Revoke a client secret of ${application.name}?`,
        effect: [
          t`The secret ${masked([ends.lastFour])} stops working immediately. ${masked([stays.lastFour])} keeps working.`,
          html`${t`Servers that still use the revoked secret can’t exchange codes or refresh tokens. Existing tokens stay valid.`} ${used}`,
        ],
        submit: t`Revoke secret`,
        cancel: t`Keep both secrets`,
      }
    },
    errors: secretErrors,
    show: (visit, { errors }) => sendApplication(visit, { status: 409, done: html`${errorNotices(errors)}` }),
    async post(visit) {
      const { by, application, request } = visit
      const revocation = { number: numberIn(request), origin: by.origin }
      const after = await secrets.revoke(by.userId, application.id, revocation)
      request.log.info({ applicationId: application.id, userId: by.userId }, 'client secret revoked')
      const done = notice({ tone: 'good', body: t`Secret revoked.` })
      return sendApplication({ ...visit, application: after }, { done })
    },
  })
}
