import { type Words, words } from '../html.ts'

/** Formats a count with digits in groups of three. */
export function countWords(count: number): Words {
  return words({ en: count.toLocaleString('en-GB'), de: count.toLocaleString('de-DE') })
}

/** Localizes a decimal number that has a point as its separator. */
export function decimalWords(figure: string): { en: string; de: string } {
  return { en: figure, de: figure.replace('.', ',') }
}

/** Formats a size in bytes, KiB or MiB. */
export function bytesWords(bytes: number): { en: string; de: string } {
  if (bytes < 1_024) return { en: `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`, de: `${bytes} Byte` }
  return decimalWords(bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`)
}
