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
