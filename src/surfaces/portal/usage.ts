import type { FastifyInstance } from 'fastify'
import type { OwnedApplication } from '../../domain/applications/applications.ts'
import type { DayOfRequests } from '../../domain/applications/request-log.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type ActivityView, activityPagination, activityTable, readBefore } from '../../pages/components/activity.ts'
import { card, emptyState } from '../../pages/components/card.ts'
import { table } from '../../pages/components/table.ts'
import { type Html, html, type Text, t, type Words } from '../../pages/html.ts'
import type { Person } from '../../pages/page.ts'
import { type ApplicationPageServices, onApplication } from './application-pages.ts'
import { applicationPartPage } from './views/application-frame.ts'

/** Registers `/apps/{applicationId}/usage` and `/apps/{applicationId}/activity`. */
export function usageRoutes(app: FastifyInstance, services: ApplicationPageServices): void {
  app.get(
    '/apps/:applicationId/usage',
    onApplication(services)(async ({ person, application, send }) => {
      const { id } = application
      const [usage, days] = await Promise.all([services.requests.usage([id]), services.requests.days(id)])
      const view = { person, application, users: usage.get(id)?.users ?? 0, days }
      return send(usagePage(view))
    }),
  )

  app.get(
    '/apps/:applicationId/activity',
    onApplication(services)(async ({ session, person, application, request, send }) => {
      const before = readBefore(request.query)
      const page = { before, atMost: limits.activityPerPage }
      const events = await services.audit.ofApplication(application.id, session.userId, page)
      const reader = { userId: session.userId, sites: person.sites }
      const view = { events, reader, nowMs: services.clock.nowMs(), person, application, before }
      return send(activityPage(view))
    }),
  )
}

interface UsageView {
  person: Person
  application: OwnedApplication
  /** Number of users who have granted access. */
  users: number
  days: readonly DayOfRequests[]
}

const usageWords = {
  users: (count: number): Words =>
    count === 1
      ? t.html`<strong>1</strong> user has given the application access.`
      : t.html`<strong>${count}</strong> users have given the application access.`,
  peak: (figure: number): Words => t`peak ${figure} per day`,
}

/** Renders the number of users and the daily request counts. */
export function usagePage(view: UsageView): Html {
  const { application, users, days } = view
  const shared = { from: dayOf(days[0]), to: t`today`, peak: usageWords.peak }
  return applicationPartPage(view, {
    part: 'usage',
    body: html`<div class="stack tight"><h2>${t`Usage`}</h2><p class="soft">${t`The last 30 days, per UTC day. Only successful refreshes count.`}</p></div>
<p>${usageWords.users(users)}</p>
${card({
  body: html`${dayChart({ ...shared, title: t`Grants`, tone: 'plain', figures: days.map(({ grants }) => grants) })}
${dayChart({ ...shared, title: t`Refreshes`, tone: 'plain', figures: days.map(({ refreshes }) => refreshes) })}
${dayChart({ ...shared, title: t`Failed requests`, tone: 'bad', figures: days.map(({ errors }) => errors) })}
<p><a href="/apps/${application.id}/logs">${t`See failed requests`}</a></p>
<details class="reveal"><summary>${t`Figures per day`}</summary>${dayTable(days)}</details>`,
})}`,
  })
}

function dayTable(days: readonly DayOfRequests[]): Html {
  const eventful = days.filter(({ grants, refreshes, errors }) => grants + refreshes + errors > 0).reverse()
  if (eventful.length === 0) return html`<p>${t`No activity in these 30 days.`}</p>`
  return table({
    caption: t`Figures per day`,
    columns: [
      { title: t`Day`, cell: (of) => dayOf(of) },
      { title: t`Grants`, cell: ({ grants }) => grants, number: true },
      { title: t`Refreshes`, cell: ({ refreshes }) => refreshes, number: true },
      { title: t`Failed requests`, cell: ({ errors }) => errors, number: true },
    ],
    rows: eventful,
  })
}

function dayOf(of: DayOfRequests | undefined): string {
  return of === undefined ? '' : new Date(of.day * 24 * 3_600_000).toISOString().slice(0, 10)
}

const barWidth = 8
const gap = 2
const height = 40

/**
 * Renders a bar chart of daily counts, oldest day first. The caption shows the total; the axis shows the first and last
 * day and the peak.
 */
function dayChart(chart: {
  title: Text
  figures: readonly number[]
  /** Colour of the bars. */
  tone: 'plain' | 'bad'
  /** Labels at the two ends of the axis. */
  from: Text
  to: Text
  peak: (figure: number) => Text
}): Html {
  const { title, figures, tone, from, to, peak } = chart
  const most = Math.max(...figures, 0)
  const sum = figures.reduce((total, figure) => total + figure, 0)
  const width = figures.length * (barWidth + gap) - gap
  const bars = figures.map((figure, index) => {
    // Minimum height of a bar, so that a count of 1 stays visible next to a count of 1,000.
    const tall = figure === 0 ? 1 : Math.max(3, Math.round((height * figure) / most))
    return html`<rect${figure === 0 && html` class="none"`} x="${index * (barWidth + gap)}" y="${height - tall}" width="${barWidth}" height="${tall}"/>`
  })
  return html`<figure class="days ${tone}"><figcaption><span>${title}</span> <strong>${sum}</strong></figcaption>
<svg aria-hidden="true" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${bars}</svg>
<div class="axis" aria-hidden="true"><span>${from}</span>${most > 0 && html`<span>${peak(most)}</span>`}<span>${to}</span></div></figure>`
}

export function activityPage(
  view: ActivityView & { person: Person; application: OwnedApplication; before: number | undefined },
): Html {
  const { application, events, before } = view
  return applicationPartPage(view, {
    part: 'activity',
    body: html`<div class="stack tight"><h2>${t`Activity`}</h2><p class="soft">${t`Actions by you, your users and the application itself, kept for 400 days. Users’ IP addresses and browsers are not shown.`}</p></div>
${events.length === 0 ? emptyState({ title: t`No earlier activity`, body: html`<p>${t`Grants, revocations and changes appear here.`}</p>` }) : activityTable(view)}
${activityPagination(`/apps/${application.id}/activity`, events, before)}`,
  })
}
