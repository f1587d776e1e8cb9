import type { FastifyRequest } from 'fastify'
import type { Accounts, Session } from '../../domain/accounts/accounts.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { describeScopes } from '../../domain/authorization/scope.ts'
import type { Clock } from '../../domain/clock.ts'
import { parseApplicationId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { readBefore } from '../../pages/components/activity.ts'
import { formText } from '../../pages/form-posts.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { accountParts } from '../../pages/places.ts'
import { scopeWords } from '../../pages/words/scopes.ts'
import { type ApplicationAccess, activityPage, applicationsPage, sessionsPage } from './views/access-pages.ts'
import { accountDone } from './words.ts'

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
