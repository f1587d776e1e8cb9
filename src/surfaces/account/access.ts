import type { FastifyRequest } from 'fastify'
import type { Accounts, Session } from '../../domain/accounts/accounts.ts'
import type { ListedSession } from '../../domain/accounts/sessions/session.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { describeScopes } from '../../domain/authorization/scope.ts'
import type { Clock } from '../../domain/clock.ts'
import { parseApplicationId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { type ActivityView, activityPagination, activityTable, readBefore } from '../../pages/components/activity.ts'
import { linkButton, postForm } from '../../pages/components/button.ts'
import { card, emptyState } from '../../pages/components/card.ts'
import { time } from '../../pages/components/figures.ts'
import { tag } from '../../pages/components/notice.ts'
import { lastUsedIsLate } from '../../pages/components/secrets.ts'
import { table } from '../../pages/components/table.ts'
import { formText } from '../../pages/form-posts.ts'
import { type Html, html, plural, type Text, t } from '../../pages/html.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { accountParts } from '../../pages/places.ts'
import { browserWords } from '../../pages/words/browser.ts'
import { scopeWords } from '../../pages/words/scopes.ts'
import { type AccountPageView, accountDone, accountPartPage, firstOf } from './views/account-frame.ts'

interface AccessServices {
  guard: PageGuard
  accounts: Pick<Accounts, 'openSessions'>
  authorization: Pick<Authorization, 'consents' | 'scopes'>
  clock: Clock
}

/** Registers `/account/sessions` and `/account/applications`. */
export function accessSurface(services: AccessServices): Mount {
  const { openSessions } = services.accounts
  return (app) => {
    app.get(
      '/account/sessions',
      services.guard.signedIn(async ({ session, person, request, send, done }) => {
        const view = sessionsPage({
          person,
          done,
          sessions: await openSessions.list(session),
          thisSession: session.number,
          all: asksForAll(request),
          nowMs: services.clock.nowMs(),
        })
        return send(view)
      }),
    )

    app.get(
      '/account/applications',
      services.guard.signedIn(async ({ session, person, request, send, done }) => {
        const view = applicationsPage({
          person,
          done,
          applications: await applicationsOf(services, session),
          all: asksForAll(request),
          nowMs: services.clock.nowMs(),
        })
        return send(view)
      }),
    )

    app.post(
      '/account/sessions/others/end',
      services.guard.signedIn(
        async ({ session, request, redirect }) => {
          const ended = await openSessions.endOthers(session)
          request.log.info({ user: session.userId, ...ended }, 'all other sessions ended')
          return redirect(accountParts.sessions.href, accountDone.sessions)
        },
        { page: () => accountParts.sessions.href },
      ),
    )

    app.post(
      '/account/sessions/end',
      services.guard.signedIn(
        async ({ session, request, redirect }) => {
          const number = Number(formText(request, 'session'))
          if (Number.isSafeInteger(number)) await openSessions.end(session, number)
          return redirect(accountParts.sessions.href, accountDone.session)
        },
        { page: () => accountParts.sessions.href },
      ),
    )

    app.post(
      '/account/applications/withdrawal',
      services.guard.signedIn(
        async ({ by, request, redirect }) => {
          const id = parseApplicationId(formText(request, 'application'))
          if (id !== undefined) {
            await services.authorization.consents.withdraw(by.userId, id, by.origin)
            request.log.info({ user: by.userId, applicationId: id }, 'consent withdrawn')
          }
          return redirect(accountParts.applications.href, accountDone.application)
        },
        { page: () => accountParts.applications.href },
      ),
    )
  }
}

async function applicationsOf({ authorization }: AccessServices, { userId }: Session): Promise<ApplicationAccess[]> {
  const descriptions = describeScopes(await authorization.scopes.list())
  const consents = await authorization.consents.list(userId)
  return consents.map(({ applicationId, applicationName, websiteUrl, scopes, ...times }) => ({
    id: applicationId,
    name: applicationName,
    websiteHost: new URL(websiteUrl).host,
    scopes: scopes.map((name) => scopeWords(name, descriptions)),
    ...times,
  }))
}

/** Returns whether the query asks for the whole list. */
function asksForAll(request: FastifyRequest): boolean {
  return (request.query as Record<string, unknown>).all === '1'
}

/** Registers `/account/activity`, which lists the signed-in user's audit events. */
export function activitySurface(services: { guard: PageGuard; audit: Audit; clock: Clock }): Mount {
  return (app) => {
    app.get(
      '/account/activity',
      services.guard.signedIn(async ({ session, person, request, send }) => {
        const before = readBefore(request.query)
        const events = await services.audit.ofUser(session.userId, { before, atMost: limits.activityPerPage })
        const reader = { userId: session.userId, sites: person.sites }
        const view = { events, reader, nowMs: services.clock.nowMs(), person, before }
        return send(activityPage(view))
      }),
    )
  }
}

interface SessionsView extends AccountPageView {
  /** Sessions, the current one first. */
  sessions: readonly ListedSession[]
  thisSession: number
  /** Whether to list all sessions, however many there are. */
  all: boolean
  nowMs: number
}

export function sessionsPage(view: SessionsView): Html {
  const { sessions, thisSession, all, nowMs } = view
  const isThis = ({ number }: ListedSession) => number === thisSession
  const { shown, more } = firstOf(sessions, all)
  return accountPartPage(
    view,
    'sessions',
    html`${
      sessions.length > 1 &&
      postForm(
        { action: '/account/sessions/others/end' },
        html`<div class="buttons"><button type="submit" class="dangerous">${t`Sign out everywhere else`}</button><p class="soft small">${t`Signs out all other browsers and revokes your personal access tokens immediately. Applications keep their access.`}</p></div>`,
      )
    }
${table({
  caption: t`Your sessions, current one first`,
  rows: shown,
  columns: [
    {
      title: t`Browser`,
      cell: (session) =>
        html`${browserWords(session.userAgent)}${session.surface === 'portal' && html` ${tag(t`Developer portal`)}`}${isThis(session) && html` ${tag(t`This session`)}`}`,
    },
    {
      title: t`IP address`,
      cell: ({ address }) => html`<code>${address ?? t`Unknown`}</code>`,
    },
    { title: t`Signed in`, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
    {
      title: t`Last active`,
      cell: (session) => (isThis(session) ? t`now` : time(session.lastSeenAtMs, nowMs)),
    },
    {
      title: t`Sign out`,
      cell: (session) =>
        isThis(session)
          ? html`<span class="soft">${t`In the menu under your name`}</span>`
          : postForm(
              { action: '/account/sessions/end' },
              html`<input type="hidden" name="session" value="${session.number}"><button type="submit" class="plain small">${t`Sign out`}<span class="hidden-visually"> ${browserWords(session.userAgent)} ${session.address === null ? t`at an unknown IP address` : t`at ${session.address}`}</span></button>`,
            ),
    },
  ],
})}
${more && html`<p><a href="?all=1">${t`Show all ${sessions.length} sessions`}</a></p>`}`,
  )
}

export interface ApplicationAccess {
  id: string
  name: string
  websiteHost: string
  /** Descriptions of the granted scopes. */
  scopes: readonly Text[]
  firstGrantedAtMs: number
  /** When one of the application's access tokens was last used, accurate to the minute. `null` if never. */
  lastUsedAtMs: number | null
}

interface ApplicationsView extends AccountPageView {
  applications: readonly ApplicationAccess[]
  /** Whether to list all applications, however many there are. */
  all: boolean
  nowMs: number
}

export function applicationsPage(view: ApplicationsView): Html {
  return accountPartPage(
    view,
    'applications',
    html`${view.applications.length === 0 ? emptyState({ title: t`No applications yet`, body: html`<p>${t`Applications with access to your account appear here.`}</p>` }) : accessTable(view)}
${card({
  title: t`Event subscriptions`,
  body: html`<p>${t`Get a signed request at your URL when a bot goes offline, webhooks fail, or a user revokes your application’s access.`}</p>
<p>${linkButton({ label: t`Manage subscriptions`, href: '/account/subscriptions', tone: 'plain' })}</p>`,
})}`,
  )
}

function accessTable({ applications, all, nowMs }: ApplicationsView): Html {
  const { shown, more } = firstOf(applications, all)
  return html`<p class="soft">${t`If you revoke access, it ends immediately. The application may keep data that it has already read, and can ask you again.`}</p>
${table({
  caption: t`Connected applications`,
  rows: shown,
  columns: [
    {
      title: t`Application`,
      cell: ({ name, websiteHost }) => html`${name}<br><span class="soft small">${websiteHost}</span>`,
    },
    { title: t`Access`, cell: ({ scopes }) => permissions(scopes, applications.length <= openUpTo) },
    { title: t`Allowed`, cell: ({ firstGrantedAtMs }) => time(firstGrantedAtMs, nowMs) },
    {
      title: t`Last used`,
      cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? t`Never` : time(lastUsedAtMs, nowMs)),
    },
    { title: t`Action`, cell: ({ id, name }) => revokeForm(id, name) },
  ],
})}
${more && html`<p><a href="?all=1">${t`Show all ${applications.length} applications`}</a></p>`}
<p class="hint">${lastUsedIsLate}</p>`
}

/** With at most this many applications, the page shows all permissions expanded. */
const openUpTo = 3

function permissions(scopes: readonly Text[], open: boolean): Html {
  return html`<details${open && html` open`}><summary>${plural(scopes.length, t`1 permission`, t`${scopes.length} permissions`)}</summary><ul>${scopes.map((scope) => html`<li>${scope}</li>`)}</ul></details>`
}

function revokeForm(id: string, name: string): Html {
  return postForm(
    { action: '/account/applications/withdrawal' },
    html`<input type="hidden" name="application" value="${id}"><button type="submit" class="dangerous small">${t`Revoke access`}<span class="hidden-visually"> ${t`for ${name}`}</span></button>`,
  )
}

export function activityPage(view: ActivityView & AccountPageView & { before: number | undefined }): Html {
  return accountPartPage(
    view,
    'activity',
    html`<p class="soft">${t`Activity is kept for 400 days. If you don’t recognize something, change your password and revoke access you didn’t grant.`}</p>
${view.events.length === 0 ? html`<p>${t`No earlier activity.`}</p>` : activityTable(view)}
${activityPagination(accountParts.activity.href, view.events, view.before)}`,
  )
}
