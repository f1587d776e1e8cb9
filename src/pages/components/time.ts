import { type Html, html, type Text } from '../html.ts'
import { relativeWords } from '../words/figures.ts'

/**
 * Renders how long ago something happened, with the exact time on hover and in machine-readable form. The exact
 * time is in UTC. A script puts the browser's local time before it.
 *
 * A time after `nowMs` is shown as “just now”. It was recorded after the request was read, or by a node with a
 * different clock.
 */
export function time(atMs: number, nowMs: number): Html {
  return element(atMs, relativeWords(Math.min(atMs, nowMs), nowMs))
}

/** Renders how soon something is due. Includes the exact time, like {@link time}. */
export function timeUntil(atMs: number, nowMs: number): Html {
  return element(atMs, relativeWords(atMs, nowMs))
}

/**
 * Renders an exact time in UTC. A script replaces it with the browser's local time; the UTC time is
 * then shown on hover, and while its table row has the focus.
 */
export function exactTime(atMs: number): Html {
  const text = utcText(atMs)
  return html`<time datetime="${new Date(atMs).toISOString()}" data-local data-utc="${text} UTC">${text}</time>`
}

/**
 * Renders the time of a row in a log, with milliseconds. The date is shown unless it is the same as in the row above. A
 * script replaces both with the browser's local time.
 *
 * @param aboveMs the time of the row above, if any.
 */
export function logTime(atMs: number, aboveMs?: number): Html {
  const iso = new Date(atMs).toISOString()
  const date = iso.slice(0, 10)
  const isSame = aboveMs !== undefined && new Date(aboveMs).toISOString().startsWith(date)
  return html`<time datetime="${iso}" data-ms><span${isSame && html` hidden`}>${date} </span>${iso.slice(11, 23)}</time>`
}

/** Formats a UTC time, such as `2026-11-23 14:03:22`. */
function utcText(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
}

function element(atMs: number, inWords: Text): Html {
  const iso = new Date(atMs).toISOString()
  const exact = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
  return html`<time datetime="${iso}" title="${exact}" data-local>${inWords}</time>`
}
