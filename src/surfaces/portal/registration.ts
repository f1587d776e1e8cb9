import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import { parseRedirectUri } from '../../domain/applications/redirect-uri.ts'
import type { Usage } from '../../domain/applications/request-log.ts'
import type { ApplicationId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { buttonRow, emptyState, linkButton, objectLink, table, zero } from '../../pages/components/elements.ts'
import { countWords } from '../../pages/components/figures.ts'
import { byName, listed } from '../../pages/components/list.ts'
import { avatar } from '../../pages/components/pictures.ts'
import { formPage, sendForm, showPage } from '../../pages/form-routes.ts'
import { type Html, html, t } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { applicationsPlace } from '../../pages/places.ts'
import * as forms from './application-form.ts'
import { exceptionTags, lastActivity, lastActivityMs, type PortalServices, portalFrame } from './application-pages.ts'
import { showCodePath } from './code-routes.ts'
import { sendApplication } from './overview.ts'

export function registrationRoutes(app: FastifyInstance, services: PortalServices): void {
  showPage(app, '/', services.guard.signedIn, (visit) => sendApplications(services, visit))

  formPage(app, '/apps/new', services.guard.signedIn, {
    form: forms.applicationForm,
    options: forms.applicationFormOptions,
    values: ({ request }) => presetOf(request.query, services.portalUrl),
    errors: (error, _visit, values) => forms.applicationErrors(error, values),
    show(visit, { values, ...rejected }) {
      const filled = { ...rejected, values: forms.complete(values, forms.emptyApplication) }
      return sendForm(visit, forms.applicationForm, filled, {
        place: applicationsPlace,
        trail: [{ name: t`Register an application` }],
        title: rejected.errors.length > 0 ? t`Application not registered` : t`Register an application`,
        heading: t`Register an application`,
        modules: ['redirect-uris.js'],
        action: '/apps/new',
        submit: t`Register application`,
        back: '/',
      })
    },
    async post(visit, values) {
      const { by, request, reply } = visit
      const form = forms.applicationOf(forms.complete(values, forms.emptyApplication))
      const { application, clearTextSecret } = await services.applications.owned.register(by.userId, form, by.origin)
      request.log.info({ applicationId: application.id, userId: by.userId }, 'application registered')
      reply.header('location', `/apps/${application.id}`)
      const created = { clearTextSecret, because: 'registered' } as const
      return sendApplication({ ...visit, services, application }, { status: 201, created })
    },
  })
}

/** Returns the first values. With `?environment=development`, users return to the portal's page with the code. */
function presetOf(query: unknown, portalUrl: string): forms.ApplicationValues {
  if ((query as Record<string, unknown>).environment !== 'development') return forms.emptyApplication
  const uri = `${portalUrl}${showCodePath}`
  const redirectUris = 'redirectUri' in parseRedirectUri(uri, 'development') ? uri : ''
  return { ...forms.emptyApplication, environment: 'development', redirectUris }
}

async function sendApplications(services: PortalServices, visit: SignedInRequest): Promise<FastifyReply> {
  const { session, person, request, show, done } = visit
  const applications = await services.applications.owned.list(session.userId)
  const ids = applications.map(({ id }) => id)
  const [usage, failed] = await Promise.all([services.requests.usage(ids), services.requests.errorsInAWeek(ids)])
  const register = linkButton({ label: t`Register an application`, href: '/apps/new', tone: 'primary' })
  const some = applications.length > 0
  return show({
    ...portalFrame,
    title: t`Applications`,
    body: html`${done}
<div class="title"><h1>${t`Applications`}</h1>${some && register}</div>
${
  some
    ? listOf(applications, request, { usage, failed, nowMs: services.clock.nowMs() })
    : emptyState({
        title: t`You have no applications yet`,
        body: html`${t.html`<p>An application lets users sign in to your product with their account here. It reads only what they allow, such as their name, bots or logs.</p>
<ol>
<li>Register it. You get a client ID and a client secret.</li>
<li>Send users to its authorization URL. They give their consent and return with a code.</li>
<li>Exchange the code for tokens on your server, then read the user’s data.</li>
</ol>`}`,
        action: buttonRow(
          register,
          linkButton({ label: t`First steps`, href: `${person.sites?.base}/welcome`, tone: 'quiet' }),
        ),
      })
}`,
  })
}

/** What happened to applications. The maps contain only those to which something did. */
interface Activity {
  usage: ReadonlyMap<ApplicationId, Usage>
  /** Failed requests in the last 7 days. */
  failed: ReadonlyMap<ApplicationId, number>
  nowMs: number
}

/** Renders one page of the applications that match the search, one line each, in the chosen order. */
function listOf(
  applications: readonly OwnedApplication[],
  request: FastifyRequest,
  { usage, failed, nowMs }: Activity,
): Html {
  const failures = ({ id }: OwnedApplication) => failed.get(id) ?? 0
  const activeMs = (application: OwnedApplication) => lastActivityMs(application, usage.get(application.id))
  const { rows, form, pager } = listed(applications, request, {
    action: '/',
    label: t`Name, website or client ID`,
    perPage: limits.applicationsPerPage,
    textsOf: ({ name, websiteUrl, clientId }) => [name, websiteUrl, clientId],
    sorts: {
      newest: [t`Newest first`],
      name: [t`Name`, byName],
      failed: [t`Most failed requests`, (one, other) => failures(other) - failures(one)],
      used: [t`Last activity`, (one, other) => activeMs(other) - activeMs(one)],
    },
  })
  if (rows.length === 0) {
    return html`${form}${emptyState({ title: t`No applications found`, body: html`<p>${t`Search for any part of the name, website or client ID.`}</p>` })}`
  }
  return html`${form}${table({
    caption: t`Your applications`,
    rows,
    oneLine: true,
    columns: [
      {
        title: t`Name`,
        cell: (application) =>
          objectLink({
            name: application.name,
            href: `/apps/${application.id}`,
            picture: avatar({ name: application.name, small: true }),
            after: html`<span class="soft small">${new URL(application.websiteUrl).host}</span>${exceptionTags(application)}`,
          }),
      },
      { title: t`Client ID`, unlabelled: true, cell: ({ clientId }) => html`<code>${clientId}</code>` },
      { title: t`Users`, number: true, cell: ({ id }) => usage.get(id)?.users ?? zero },
      {
        title: t`Failed in 7 days`,
        number: true,
        cell: (application) => {
          const count = failures(application)
          return count === 0 ? zero : html`<a href="/apps/${application.id}/logs">${countWords(count)}</a>`
        },
      },
      {
        title: t`Last activity`,
        unlabelled: true,
        cell: (application) => lastActivity(application, usage.get(application.id), nowMs),
      },
    ],
  })}
${pager}`
}
