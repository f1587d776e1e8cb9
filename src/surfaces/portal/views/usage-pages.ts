import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import type { DayOfRequests } from '../../../domain/applications/request-log.ts'
import { type ActivityView, activityPagination, activityTable } from '../../../pages/components/activity.ts'
import { card, emptyState } from '../../../pages/components/card.ts'
import { table } from '../../../pages/components/table.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import { activityWords, usageWords } from '../words/usage.ts'
import { applicationPartPage } from './application-frame.ts'

interface UsageView {
  person: Person
  application: OwnedApplication
  /** Number of users who have granted access. */
  users: number
  days: readonly DayOfRequests[]
}

/** Renders the number of users and the daily request counts. */
export function usagePage(view: UsageView): Html {
  const { application, users, days } = view
  const shared = { from: dayOf(days[0]), to: usageWords.today, peak: usageWords.peak }
  return applicationPartPage(view, {
    part: 'usage',
    body: html`<div class="stack tight"><h2>${usageWords.title}</h2><p class="soft">${usageWords.about}</p></div>
<p>${usageWords.users(users)}</p>
${card({
  body: html`${dayChart({ ...shared, title: usageWords.grants, tone: 'plain', figures: days.map(({ grants }) => grants) })}
${dayChart({ ...shared, title: usageWords.refreshes, tone: 'plain', figures: days.map(({ refreshes }) => refreshes) })}
${dayChart({ ...shared, title: usageWords.errors, tone: 'bad', figures: days.map(({ errors }) => errors) })}
<p><a href="/apps/${application.id}/logs">${usageWords.seeFailed}</a></p>
<details class="reveal"><summary>${usageWords.asTable}</summary>${dayTable(days)}</details>`,
})}`,
  })
}

function dayTable(days: readonly DayOfRequests[]): Html {
  const eventful = days.filter(({ grants, refreshes, errors }) => grants + refreshes + errors > 0).reverse()
  if (eventful.length === 0) return html`<p>${usageWords.nothing}</p>`
  return table({
    caption: usageWords.asTable,
    columns: [
      { title: usageWords.day, cell: (of) => dayOf(of) },
      { title: usageWords.grants, cell: ({ grants }) => grants, number: true },
      { title: usageWords.refreshes, cell: ({ refreshes }) => refreshes, number: true },
      { title: usageWords.errors, cell: ({ errors }) => errors, number: true },
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
    body: html`<div class="stack tight"><h2>${activityWords.heading}</h2><p class="soft">${activityWords.kept}</p></div>
${events.length === 0 ? emptyState({ title: activityWords.nothing, body: html`<p>${activityWords.nothingMeans}</p>` }) : activityTable(view)}
${activityPagination(`/apps/${application.id}/activity`, events, before)}`,
  })
}
