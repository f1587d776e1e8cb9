import type { FastifyInstance } from 'fastify'
import type { DayOfRequests } from '../../domain/applications/request-log.ts'
import { activityList } from '../../pages/components/activity.ts'
import { card, emptyState, table } from '../../pages/components/elements.ts'
import { showPage } from '../../pages/form-routes.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'
import * as pages from './application-pages.ts'

export function usageRoutes(app: FastifyInstance, services: pages.PortalServices): void {
  const admit = pages.onApplication(services)
  showPage(app, '/apps/:applicationId/usage', admit, sendUsage)
  showPage(app, '/apps/:applicationId/activity', admit, sendActivity)
}

async function sendUsage(visit: pages.ApplicationVisit) {
  const { requests } = visit.services
  const { id } = visit.application
  const [usage, days] = await Promise.all([requests.usage([id]), requests.days(id)])
  const users = usage.get(id)?.users ?? 0
  const chart = (title: Text, figureOf: (day: DayOfRequests) => number, tone: 'plain' | 'bad' = 'plain') =>
    dayChart({ title, tone, figures: days.map(figureOf), from: dayOf(days[0]) })
  return pages.sendApplicationPart(visit, {
    part: 'usage',
    body: html`<div class="stack tight"><h2>${t`Usage`}</h2><p class="soft">${t`The last 30 days, per UTC day. Only successful refreshes count.`}</p></div>
<p>${users === 1 ? t.html`<strong>1</strong> user has given the application access.` : t.html`<strong>${users}</strong> users have given the application access.`}</p>
${card({
  body: html`${chart(t`Grants`, ({ grants }) => grants)}
${chart(t`Refreshes`, ({ refreshes }) => refreshes)}
${chart(t`Failed requests`, ({ errors }) => errors, 'bad')}
<p><a href="/apps/${id}/logs">${t`See failed requests`}</a></p>
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

/** Renders a bar chart of daily counts, oldest first, with their total, first and last day, and the peak. */
function dayChart(chart: { title: Text; figures: readonly number[]; tone: 'plain' | 'bad'; from: string }): Html {
  const { title, figures, tone, from } = chart
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
<div class="axis" aria-hidden="true"><span>${from}</span>${most > 0 && html`<span>${t`peak ${most} per day`}</span>`}<span>${t`today`}</span></div></figure>`
}

async function sendActivity(visit: pages.ApplicationVisit) {
  const { application, services, by } = visit
  const list = await activityList(visit, {
    address: `/apps/${application.id}/activity`,
    nowMs: services.clock.nowMs(),
    none: emptyState({
      title: t`No earlier activity`,
      body: html`<p>${t`Grants, revocations and changes appear here.`}</p>`,
    }),
    read: (some) => services.audit.ofApplication(application.id, by.userId, some),
  })
  return pages.sendApplicationPart(visit, {
    part: 'activity',
    body: html`<div class="stack tight"><h2>${t`Activity`}</h2><p class="soft">${t`Actions by you, your users and the application itself, kept for 400 days. Users’ IP addresses and browsers are not shown.`}</p></div>
${list}`,
  })
}
