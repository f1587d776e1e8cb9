import type { Audit } from '../../domain/audit/audit.ts'
import type { Clock } from '../../domain/clock.ts'
import type { UserId } from '../../domain/ids.ts'
import { activityOnCard, activityPerPage } from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { type ActivityView, readBefore } from '../../pages/components/activity.ts'
import { sendPage } from '../../pages/page.ts'
import { type AccountVisitRooms, forOwner } from './account-visit.ts'
import { activityPage } from './views/activity-page.ts'

/** `/account/activity`: what happened with one's account. */
export function activitySurface(rooms: AccountVisitRooms & { audit: Audit; clock: Clock }): Mount {
  return (app) => {
    app.get(
      '/account/activity',
      forOwner(rooms, async ({ session, person, request, reply }) => {
        const before = readBefore(request.query)
        const events = await rooms.audit.ofUser(session.userId, { before, atMost: activityPerPage })
        const view = { events, reader: session.userId, nowMs: rooms.clock.nowMs(), person, before }
        return sendPage(reply, activityPage(view))
      }),
    )
  }
}

/** The latest events, for the page of the account. */
export async function latestActivity(rooms: { audit: Audit; clock: Clock }, reader: UserId): Promise<ActivityView> {
  const events = await rooms.audit.ofUser(reader, { before: undefined, atMost: activityOnCard })
  return { events, reader, nowMs: rooms.clock.nowMs() }
}
