import type { Audit } from '../../domain/audit/audit.ts'
import type { Clock } from '../../domain/clock.ts'
import { activityPerPage } from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { readBefore } from '../../pages/components/activity.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { activityPage } from './views/activity-page.ts'

/** Registers `/account/activity`, which lists the signed-in user's audit events. */
export function activitySurface(services: { guard: PageGuard; audit: Audit; clock: Clock }): Mount {
  return (app) => {
    app.get(
      '/account/activity',
      services.guard.signedIn(async ({ session, person, request, reply }) => {
        const before = readBefore(request.query)
        const events = await services.audit.ofUser(session.userId, { before, atMost: activityPerPage })
        const view = { events, reader: session.userId, nowMs: services.clock.nowMs(), person, before }
        return sendPage(reply, activityPage(view))
      }),
    )
  }
}
