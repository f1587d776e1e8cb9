import type { ListedSession } from '../../domain/accounts/sessions/sessions.ts'
import { describeScopes } from '../../domain/authorization/scope.ts'
import { parseApplicationId } from '../../domain/ids-and-secrets.ts'
import type { Mount } from '../../http/new-app.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { activityList } from '../../pages/components/activity.ts'
import { card, emptyState, linkButton, postForm, scopeWords, table, tag } from '../../pages/components/elements.ts'
import { time } from '../../pages/components/figures.ts'
import { lastUsedIsLate } from '../../pages/components/secrets.ts'
import { formText } from '../../pages/form-posts.ts'
import { type Html, html, plural, type Text, t } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { accountParts } from '../../pages/places.ts'
import { browserWords } from '../../pages/words/browser.ts'
import { accountDone, sendAccountPart } from './account-frame.ts'

const sessionsAddress = accountParts.sessions.href
const applicationsAddress = accountParts.applications.href

export function accessSurface(services: AccountServices): Mount {
  const { guard, accounts, authorization } = services

  async function endOtherSessions({ session, request, redirect }: SignedInRequest) {
    const ended = await accounts.sessions.endOthers(session)
    request.log.info({ user: session.userId, ...ended }, 'all other sessions ended')
    return redirect(sessionsAddress, accountDone.sessions)
  }

  async function endSession({ session, request, redirect }: SignedInRequest) {
    const number = Number(formText(request, 'session'))
    if (Number.isSafeInteger(number)) await accounts.sessions.endOther(session, number)
    return redirect(sessionsAddress, accountDone.session)
  }

  async function withdrawConsent({ by, request, redirect }: SignedInRequest) {
    const id = parseApplicationId(formText(request, 'application'))
    if (id !== undefined) {
      await authorization.consents.withdraw(by.userId, id, by.origin)
      request.log.info({ user: by.userId, applicationId: id }, 'consent withdrawn')
    }
    return redirect(applicationsAddress, accountDone.application)
  }

  return (app) => {
    const shown = (send: typeof sendSessions) => guard.signedIn((visit) => send(visit, services))
    app.get(sessionsAddress, shown(sendSessions))
    app.get(applicationsAddress, shown(sendApplications))
    app.get(accountParts.activity.href, shown(sendActivity))
    const onSessions = { page: () => sessionsAddress }
    app.post('/account/sessions/others/end', guard.signedIn(endOtherSessions, onSessions))
    app.post('/account/sessions/end', guard.signedIn(endSession, onSessions))
    app.post('/account/applications/withdrawal', guard.signedIn(withdrawConsent, { page: () => applicationsAddress }))
  }
}

/** Maximum number of rows until the user asks for the whole list. Keeps the page short. */
const rowsAtFirst = 15

function firstOf<Row>(rows: readonly Row[], { request }: SignedInRequest): { shown: readonly Row[]; more: boolean } {
  const all = (request.query as Record<string, unknown>).all === '1'
  return all ? { shown: rows, more: false } : { shown: rows.slice(0, rowsAtFirst), more: rows.length > rowsAtFirst }
}

async function sendSessions(visit: SignedInRequest, { accounts, clock }: AccountServices) {
  const sessions = await accounts.sessions.list(visit.session)
  const isThis = ({ number }: ListedSession) => number === visit.session.number
  const { shown, more } = firstOf(sessions, visit)
  const nowMs = clock.nowMs()
  const body = html`${
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
    { title: t`IP address`, cell: ({ address }) => html`<code>${address ?? t`Unknown`}</code>` },
    { title: t`Signed in`, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
    { title: t`Last active`, cell: (session) => (isThis(session) ? t`now` : time(session.lastSeenAtMs, nowMs)) },
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
${more && html`<p><a href="?all=1">${t`Show all ${sessions.length} sessions`}</a></p>`}`
  return sendAccountPart(visit, 'sessions', body)
}

async function sendApplications(visit: SignedInRequest, services: AccountServices) {
  const body = html`${await accessTable(visit, services)}
${card({
  title: t`Event subscriptions`,
  body: html`<p>${t`Get a signed request at your URL when a bot goes offline, webhooks fail, or a user revokes your application’s access.`}</p>
<p>${linkButton({ label: t`Manage subscriptions`, href: '/account/subscriptions', tone: 'plain' })}</p>`,
})}`
  return sendAccountPart(visit, 'applications', body)
}

/** With at most this many applications, the page shows all permissions expanded. */
const openUpTo = 3

async function accessTable(visit: SignedInRequest, { authorization, clock }: AccountServices): Promise<Html> {
  const descriptions = describeScopes(await authorization.scopes.list())
  const consents = await authorization.consents.list(visit.session.userId)
  if (consents.length === 0) {
    const body = html`<p>${t`Applications with access to your account appear here.`}</p>`
    return emptyState({ title: t`No applications yet`, body })
  }
  const { shown, more } = firstOf(consents, visit)
  const nowMs = clock.nowMs()
  return html`<p class="soft">${t`If you revoke access, it ends immediately. The application may keep data that it has already read, and can ask you again.`}</p>
${table({
  caption: t`Connected applications`,
  rows: shown,
  columns: [
    {
      title: t`Application`,
      cell: ({ applicationName, websiteUrl }) =>
        html`${applicationName} <span class="soft small">${new URL(websiteUrl).host}</span>`,
    },
    {
      title: t`Access`,
      cell: ({ scopes }) =>
        permissions(
          scopes.map((name) => scopeWords(name, descriptions)),
          consents.length <= openUpTo,
        ),
    },
    { title: t`Allowed`, cell: ({ firstGrantedAtMs }) => time(firstGrantedAtMs, nowMs) },
    { title: t`Last used`, cell: ({ lastUsedAtMs }) => time(lastUsedAtMs, nowMs) },
    { title: t`Action`, cell: ({ applicationId, applicationName }) => revokeForm(applicationId, applicationName) },
  ],
})}
${more && html`<p><a href="?all=1">${t`Show all ${consents.length} applications`}</a></p>`}
<p class="hint">${lastUsedIsLate}</p>`
}

function permissions(scopes: readonly Text[], open: boolean): Html {
  return html`<details${open && html` open`}><summary>${plural(scopes.length, t`1 permission`, t`${scopes.length} permissions`)}</summary><ul>${scopes.map((scope) => html`<li>${scope}</li>`)}</ul></details>`
}

function revokeForm(id: string, name: string): Html {
  return postForm(
    { action: '/account/applications/withdrawal' },
    html`<input type="hidden" name="application" value="${id}"><button type="submit" class="dangerous small">${t`Revoke access`}<span class="hidden-visually"> ${t`for ${name}`}</span></button>`,
  )
}

async function sendActivity(visit: SignedInRequest, { audit, clock }: AccountServices) {
  const list = await activityList(visit, {
    address: accountParts.activity.href,
    nowMs: clock.nowMs(),
    none: html`<p>${t`No earlier activity.`}</p>`,
    read: (some) => audit.ofUser(visit.by.userId, some),
  })
  const body = html`<p class="soft">${t`Activity is kept for 400 days. If you don’t recognize something, change your password and revoke access you didn’t grant.`}</p>
${list}`
  return sendAccountPart(visit, 'activity', body)
}
