import { type Html, html, type Text } from '../html.ts'
import { relativeWords } from '../words/durations.ts'

/**
 * How long ago something happened, in words; exact in UTC on hover and for programs. A time after `nowMs` was recorded
 * after the request was read, or by another node's clock: it reads “just now”.
 */
export function time(atMs: number, nowMs: number): Html {
  return element(atMs, relativeWords(Math.min(atMs, nowMs), nowMs))
}

/** How soon something is due, in words. */
export function timeUntil(atMs: number, nowMs: number): Html {
  return element(atMs, relativeWords(atMs, nowMs))
}

function element(atMs: number, inWords: Text): Html {
  const iso = new Date(atMs).toISOString()
  const exact = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
  return html`<time datetime="${iso}" title="${exact}">${inWords}</time>`
}
