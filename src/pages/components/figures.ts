import type { Language } from '../../domain/language.ts'
import { type Html, html, plural, type Text, t, Words } from '../html.ts'

/** Kept after first use: creating a formatter takes up to 30 ms, formatting with it a microsecond. */
const formatters = new Map<Language, ReturnType<typeof createFormatters>>()

function createFormatters(language: Language) {
  const locale = language === 'en' ? 'en-GB' : language
  const month = { month: 'long', timeZone: 'UTC' } as const
  const dayAndMonth = { day: 'numeric', ...month } as const
  const count = new Intl.NumberFormat(locale)
  return {
    count,
    decimalSeparator: count.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.',
    month: new Intl.DateTimeFormat(locale, month),
    dayAndMonth: new Intl.DateTimeFormat(locale, dayAndMonth),
    date: new Intl.DateTimeFormat(locale, { ...dayAndMonth, year: 'numeric' }),
  }
}

function formatted(say: (formatters: ReturnType<typeof createFormatters>) => string): Words {
  return new Words((language) => say(formatters.getOrInsertComputed(language, createFormatters)))
}

export function countWords(value: number): Words {
  return formatted(({ count }) => count.format(value))
}

export function monthWords(ms: number): Words {
  return formatted(({ month }) => month.format(ms))
}

export function dayAndMonth(ms: number): Words {
  return formatted((of) => of.dayAndMonth.format(ms))
}

/** Localizes a decimal number that uses a point as its decimal separator. */
export function decimalWords(figure: string): Words {
  return formatted(({ decimalSeparator }) => figure.replace('.', decimalSeparator))
}

/** Formats a share as a percentage, rounded down, so that even a short interruption gives less than `100 %`. */
export function percentWords(of: number): Text {
  return of === 1 ? '100 %' : decimalWords(`${(Math.floor(of * 10_000) / 100).toFixed(2)} %`)
}

/** @param online the share of time online, from 0 to 1. `null` if nothing is known about the period. */
export function uptimeWords(online: number | null): Words {
  return online === null ? t`No data yet` : t`${percentWords(online)} online`
}

export function bytesWords(bytes: number): Words {
  if (bytes < 1_024) return plural(bytes, t`${bytes} byte`, t`${bytes} bytes`)
  return decimalWords(bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`)
}

/** The units of durations and relative times, from the largest. */
const units = [
  {
    ms: 86_400_000,
    lasting: (n: number) => plural(n, t`${n} day`, t`${n} days`),
    coming: (n: number) => plural(n, t`in ${n} day`, t`in ${n} days`),
    past: (n: number) => plural(n, t`${n} day ago`, t`${n} days ago`),
  },
  {
    ms: 3_600_000,
    lasting: (n: number) => plural(n, t`${n} hour`, t`${n} hours`),
    coming: (n: number) => plural(n, t`in ${n} hour`, t`in ${n} hours`),
    past: (n: number) => plural(n, t`${n} hour ago`, t`${n} hours ago`),
  },
  {
    ms: 60_000,
    lasting: (n: number) => plural(n, t`${n} minute`, t`${n} minutes`),
    coming: (n: number) => plural(n, t`in ${n} minute`, t`in ${n} minutes`),
    past: (n: number) => plural(n, t`${n} minute ago`, t`${n} minutes ago`),
  },
] as const

/** Formats the time to wait, for use after “in”. Rounds up, so that users don't retry too early. */
export function waitWords(ms: number): Words {
  const seconds = Math.max(1, Math.ceil(ms / 1_000))
  if (seconds < 60) return plural(seconds, t`${seconds} second`, t`${seconds} seconds`)
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 120 ? units[2].lasting(minutes) : units[1].lasting(Math.ceil(minutes / 60))
}

/** Formats a duration in its two largest units, such as `3 days 4 hours`. */
export function durationWords(ms: number): Words {
  return largestUnits(ms) ?? t`Less than a minute`
}

/** Returns {@link durationWords} in lower case, for use inside a sentence. */
export function durationInSentence(ms: number): Words {
  return largestUnits(ms) ?? t`less than a minute`
}

function largestUnits(ms: number): Words | undefined {
  const largest = units.findIndex((unit) => ms >= unit.ms)
  if (largest === -1) return undefined
  const said: Words[] = []
  let rest = ms
  for (const unit of units.slice(largest, largest + 2)) {
    const count = Math.floor(rest / unit.ms)
    rest -= count * unit.ms
    if (count > 0) said.push(unit.lasting(count))
  }
  const [first, second] = said
  return second === undefined ? first : t`${first} ${second}`
}

/** Formats a time relative to now. Times more than 30 days away are formatted as a UTC date. */
export function relativeWords(atMs: number, nowMs: number): Words {
  const awayMs = Math.abs(nowMs - atMs)
  const soon = atMs > nowMs
  const unit = units.find(({ ms }) => awayMs >= ms)
  if (unit === undefined) return soon ? t`in a moment` : t`just now`
  if (awayMs >= 30 * units[0].ms) return formatted(({ date }) => date.format(atMs))
  const count = Math.floor(awayMs / unit.ms)
  return soon ? unit.coming(count) : unit.past(count)
}

/**
 * Renders how long ago something happened, `null` for never, with the exact UTC time. A script adds the browser's time.
 * A time after `nowMs`, recorded later or by a node with another clock, is “just now”.
 */
export function time(atMs: number | null, nowMs: number): Html {
  return atMs === null ? html`${t`Never`}` : element(atMs, relativeWords(Math.min(atMs, nowMs), nowMs))
}

export function timeUntil(atMs: number, nowMs: number): Html {
  return element(atMs, relativeWords(atMs, nowMs))
}

/** Renders an exact time in UTC. A script shows the browser's time instead, and UTC on hover or focus of its row. */
export function exactTime(atMs: number): Html {
  const text = new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
  return html`<time datetime="${new Date(atMs).toISOString()}" data-local data-utc="${text} UTC">${text}</time>`
}

/** Renders a log row's time, with the date unless the row above has the same. A script localizes both. */
export function logTime(atMs: number, aboveMs?: number): Html {
  const iso = new Date(atMs).toISOString()
  const date = iso.slice(0, 10)
  const isSame = aboveMs !== undefined && new Date(aboveMs).toISOString().startsWith(date)
  return html`<time datetime="${iso}" data-ms><span${isSame && html` hidden`}>${date} </span>${iso.slice(11, 23)}</time>`
}

function element(atMs: number, inWords: Text): Html {
  const iso = new Date(atMs).toISOString()
  const exact = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
  return html`<time datetime="${iso}" title="${exact}" data-local>${inWords}</time>`
}
