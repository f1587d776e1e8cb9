import { type Html, html } from '../html.ts'
import { relativeWords } from '../words/durations.ts'

/** How long ago (or how soon) in words; exact in UTC on hover and for programs. */
export function time(atMs: number, nowMs: number): Html {
  const iso = new Date(atMs).toISOString()
  const exact = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
  return html`<time datetime="${iso}" title="${exact}">${relativeWords(atMs, nowMs)}</time>`
}
