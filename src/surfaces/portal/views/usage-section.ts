import { redirectUriDifference } from '../../../domain/applications/redirect-uri-difference.ts'
import type { DayOfRequests, FailedRequest } from '../../../domain/applications/request-log-store.ts'
import { section } from '../../../pages/components/card.ts'
import { tag } from '../../../pages/components/notice.ts'
import { redirectUriDifferenceView } from '../../../pages/components/redirect-uri-difference.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { failureWords } from '../failure-words.ts'
import { failuresWords, usageWords as words } from '../words/usage.ts'
import type { ApplicationView } from './application-view.ts'
import { dayChart } from './day-chart.ts'

/** Renders the number of users and the daily request counts. */
export function usageSection({ users, days }: ApplicationView): Html {
  const shared = { from: dayOf(days[0]), to: words.today, peak: words.peak }
  const eventful = days.filter(({ grants, refreshes, errors }) => grants + refreshes + errors > 0).reverse()
  return section({
    id: 'use',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card"><p>${words.users(users)}</p>
${dayChart({ ...shared, title: words.grants, tone: 'plain', figures: days.map(({ grants }) => grants) })}
${dayChart({ ...shared, title: words.refreshes, tone: 'plain', figures: days.map(({ refreshes }) => refreshes) })}
${dayChart({ ...shared, title: words.errors, tone: 'bad', figures: days.map(({ errors }) => errors) })}
<details><summary>${words.asTable}</summary>${
      eventful.length === 0
        ? html`<p>${words.nothing}</p>`
        : table({
            caption: words.asTable,
            columns: [
              { title: words.day, cell: (of: DayOfRequests) => dayOf(of) },
              { title: words.grants, cell: ({ grants }: DayOfRequests) => grants, number: true },
              { title: words.refreshes, cell: ({ refreshes }: DayOfRequests) => refreshes, number: true },
              { title: words.errors, cell: ({ errors }: DayOfRequests) => errors, number: true },
            ],
            rows: eventful,
          })
    }</details></div>`,
  })
}

function dayOf(of: DayOfRequests | undefined): string {
  return of === undefined ? '' : new Date(of.day * 24 * 3_600_000).toISOString().slice(0, 10)
}

export function failuresSection({ application, failures, nowMs }: ApplicationView): Html {
  return section({
    id: 'failed-requests',
    title: failuresWords.title,
    about: html`<p>${failuresWords.about}</p>`,
    body:
      failures.length === 0
        ? html`<div class="card"><p>${failuresWords.none}</p></div>`
        : table({
            caption: failuresWords.caption,
            columns: [
              { title: failuresWords.when, cell: ({ atMs }: FailedRequest) => time(atMs, nowMs) },
              { title: failuresWords.where, cell: ({ place }: FailedRequest) => tag(failuresWords.places[place]) },
              {
                title: failuresWords.cause,
                cell: (failure: FailedRequest) => cause(failure, application.redirectUris),
              },
            ],
            rows: failures,
          }),
  })
}

/**
 * Renders the cause in the viewer's language, or the English `error_description` if the reason is unknown. A rejected
 * redirect URI is compared with the most similar registered one.
 */
function cause(failure: FailedRequest, registered: readonly string[]): Html {
  const { error, description, redirectUri } = failure
  const why = failureWords(failure) ?? html`<span lang="en" dir="ltr">${description}</span>`
  const told = html`${error !== null && html`<code>${error}</code> `}${why}${
    error === null && html` <span class="soft">${failuresWords.pageShown}</span>`
  }`
  if (redirectUri === null) return told
  if (registered.includes(redirectUri)) {
    return html`${told}<br><code dir="ltr">${redirectUri}</code><br><span class="soft small">${failuresWords.registeredNow}</span>`
  }
  const difference = redirectUriDifference(registered, redirectUri)
  return html`${told}${difference && redirectUriDifferenceView(difference)}`
}
