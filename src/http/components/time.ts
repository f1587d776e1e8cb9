import { type Html, html } from '../html.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long ago (or how soon) in words; exact in UTC on hover and for programs. */
export function time(atMs: number, nowMs: number): Html {
  const iso = new Date(atMs).toISOString()
  const exact = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
  return html`<time datetime="${iso}" title="${exact}">${relative(atMs, nowMs)}</time>`
}

function relative(atMs: number, nowMs: number): string {
  const awayMs = Math.abs(nowMs - atMs)
  if (awayMs < minute) return atMs > nowMs ? 'in a moment' : 'just now'
  const words = awayMs < hour ? count(awayMs, minute, 'minute') : awayMs < day ? count(awayMs, hour, 'hour') : undefined
  if (words !== undefined) return atMs > nowMs ? `in ${words}` : `${words} ago`
  if (awayMs < 30 * day) return atMs > nowMs ? `in ${count(awayMs, day, 'day')}` : `${count(awayMs, day, 'day')} ago`
  const date = new Date(atMs)
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

function count(ms: number, unitMs: number, unit: string): string {
  const units = Math.floor(ms / unitMs)
  return `${units} ${unit}${units === 1 ? '' : 's'}`
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
