import { type Words, words } from '../html.ts'

/**
 * Formatters are created on first use and then kept: creating one takes up to 30 ms, but formatting a number
 * takes only a microsecond.
 */
let formatters: ReturnType<typeof createFormatters> | undefined

function createFormatters() {
  const month = { month: 'long', timeZone: 'UTC' } as const
  const dayAndMonth = { day: 'numeric', ...month } as const
  return {
    count: { en: new Intl.NumberFormat('en-GB'), de: new Intl.NumberFormat('de-DE') },
    month: { en: new Intl.DateTimeFormat('en-GB', month), de: new Intl.DateTimeFormat('de-DE', month) },
    dayAndMonth: {
      en: new Intl.DateTimeFormat('en-GB', dayAndMonth),
      de: new Intl.DateTimeFormat('de-DE', dayAndMonth),
    },
  }
}

function format(kind: 'count' | 'month' | 'dayAndMonth', value: number): { en: string; de: string } {
  formatters ??= createFormatters()
  const { en, de } = formatters[kind]
  return { en: en.format(value), de: de.format(value) }
}

/** Formats a count with a thousands separator. */
export function countWords(count: number): Words {
  return words(format('count', count))
}

/** Formats the name of a month in UTC. */
export function monthWords(ms: number): Words {
  return words(format('month', ms))
}

/** Formats a date in UTC, without the year. */
export function dayAndMonth(ms: number): { en: string; de: string } {
  return format('dayAndMonth', ms)
}

/** Localizes a decimal number that uses a point as its decimal separator. */
export function decimalWords(figure: string): { en: string; de: string } {
  return { en: figure, de: figure.replace('.', ',') }
}

/** Formats a size in bytes, KiB or MiB. */
export function bytesWords(bytes: number): { en: string; de: string } {
  if (bytes < 1_024) return { en: `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`, de: `${bytes} Byte` }
  return decimalWords(bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`)
}

const units = [
  { ms: 86_400_000, en: ['day', 'days'], de: ['Tag', 'Tage', 'Tagen'] },
  { ms: 3_600_000, en: ['hour', 'hours'], de: ['Stunde', 'Stunden', 'Stunden'] },
  { ms: 60_000, en: ['minute', 'minutes'], de: ['Minute', 'Minuten', 'Minuten'] },
  { ms: 1_000, en: ['second', 'seconds'], de: ['Sekunde', 'Sekunden', 'Sekunden'] },
] as const
type Unit = (typeof units)[number]

/**
 * Formats a number of days, hours, minutes or seconds.
 *
 * @param dative whether to use the German dative, which follows “vor” and “in”.
 */
function counted(count: number, unit: Unit, dative: boolean): { en: string; de: string } {
  const de =
    count === 1
      ? dative && unit.de[0] === 'Tag'
        ? 'einem Tag'
        : `1 ${unit.de[0]}`
      : `${count} ${unit.de[dative ? 2 : 1]}`
  return { en: `${count} ${unit.en[count === 1 ? 0 : 1]}`, de }
}

/** Formats the time to wait, for use after “in”. Rounds up, so that users don't retry too early. */
export function waitWords(ms: number): { en: string; de: string } {
  const seconds = Math.max(1, Math.ceil(ms / 1_000))
  if (seconds < 60) return counted(seconds, units[3], true)
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 120 ? counted(minutes, units[2], true) : counted(Math.ceil(minutes / 60), units[1], true)
}

/** Formats a duration in its two largest units, such as `3 days 4 hours`. */
export function durationWords(ms: number): { en: string; de: string } {
  const largest = units.slice(0, 3).findIndex((unit) => ms >= unit.ms)
  if (largest === -1) return { en: 'Less than a minute', de: 'Weniger als 1 Minute' }
  const said: { en: string; de: string }[] = []
  let rest = ms
  for (const unit of units.slice(largest, Math.min(largest + 2, 3))) {
    const count = Math.floor(rest / unit.ms)
    rest -= count * unit.ms
    if (count > 0) said.push(counted(count, unit, false))
  }
  return { en: said.map(({ en }) => en).join(' '), de: said.map(({ de }) => de).join(' ') }
}

/** Returns {@link durationWords} in lower case, for use inside a sentence. */
export function durationInSentence(ms: number): { en: string; de: string } {
  const { en, de } = durationWords(ms)
  return { en: en.toLowerCase(), de: de.replace('Weniger', 'weniger') }
}

const months = {
  en: 'January February March April May June July August September October November December'.split(' '),
  de: 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' '),
}

/** Formats a time relative to now. Times more than 30 days away are formatted as a UTC date. */
export function relativeWords(atMs: number, nowMs: number): Words {
  const awayMs = Math.abs(nowMs - atMs)
  const soon = atMs > nowMs
  const unit = units.slice(0, 3).find(({ ms }) => awayMs >= ms)
  if (unit === undefined) {
    return soon ? words({ en: 'in a moment', de: 'gleich' }) : words({ en: 'just now', de: 'gerade eben' })
  }
  if (awayMs >= 30 * units[0].ms) {
    const date = new Date(atMs)
    const [day, month, year] = [date.getUTCDate(), date.getUTCMonth(), date.getUTCFullYear()]
    return words({ en: `${day} ${months.en[month]} ${year}`, de: `${day}. ${months.de[month]} ${year}` })
  }
  const { en, de } = counted(Math.floor(awayMs / unit.ms), unit, true)
  return soon ? words({ en: `in ${en}`, de: `in ${de}` }) : words({ en: `${en} ago`, de: `vor ${de}` })
}
