import type { Incident } from '../../../domain/bots/status/incidents.ts'
import { state, tag } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { incidentWords as words } from '../incident-words.ts'

/** Maximum number of incidents shown at first, and with the collapsed section open. */
const shownFirst = 5
const shownMax = 40

/** Renders the incidents of the last 90 days, newest first, with their durations. */
export function incidentsPart(incidents: readonly Incident[], nowMs: number): Html {
  const earlier = incidents.slice(shownFirst, shownMax)
  return html`<h2>${words.title}</h2>
${incidents.length === 0 ? html`<p class="soft">${words.none}</p>` : list(incidents.slice(0, shownFirst), nowMs)}
${earlier.length > 0 && html`<details class="reveal" data-name="incidents"><summary class="small">${words.earlier}</summary>${list(earlier, nowMs)}</details>`}`
}

function list(incidents: readonly Incident[], nowMs: number): Html {
  return html`<ol class="incidents">${incidents.map((incident) => {
    const isOngoing = incident.endedAtMs === null
    const length = state({ tone: isOngoing ? 'bad' : 'neutral', word: words.length(incident, nowMs) })
    return html`<li>${length}${isOngoing && tag(words.ongoing)}<time datetime="${new Date(incident.beganAtMs).toISOString()}">${words.period(incident)}</time></li>`
  })}</ol>`
}
