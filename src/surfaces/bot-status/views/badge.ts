import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import { type Html, html } from '../../../pages/html.ts'

export const badgeStyles = ['flat', 'for-the-badge'] as const
export type BadgeStyle = (typeof badgeStyles)[number]

/** A badge's content. White text has enough contrast on each of the colours. */
export interface BadgeWords {
  message: string
  colour: string
}

/** Always in English, because a badge is one cached image for everyone, embedded in sites in many languages. */
const badges: Record<BotState, BadgeWords> = {
  online: { message: 'online', colour: '#17693f' },
  connecting: { message: 'connecting', colour: '#7b5100' },
  offline: { message: 'offline', colour: '#b3261e' },
  'hosting-off': { message: 'hosting off', colour: '#53606f' },
}

/**
 * Returns the badge's text and colour.
 *
 * @param state the bot's state. `undefined` if there is no public status.
 */
export function badgeWords(state: BotState | undefined): BadgeWords {
  return state === undefined ? { message: 'unknown', colour: '#667180' } : badges[state]
}

/** @param label the text on the left. If it is empty, the badge has no left part. */
export function badge({ label, style, words }: { label: string; style: BadgeStyle; words: BadgeWords }): Html {
  const { message, colour } = words
  const big = style === 'for-the-badge'
  const cell = (text: string) => {
    const shown = big ? text.toUpperCase() : text
    const width = big ? Math.round(widthOf(shown) * 0.91 + shown.length * 1.25) : Math.round(widthOf(shown))
    return { shown, width, room: width + (big ? 24 : 12) }
  }
  const left = label === '' ? undefined : cell(label)
  const right = cell(message)
  const start = left?.room ?? 0
  const width = start + right.room
  const height = big ? 28 : 20
  const text = ({ shown, width: length, room }: ReturnType<typeof cell>, x: number, bold: boolean) =>
    html`<text x="${x + room / 2}" y="${big ? 18 : 14}" textLength="${length}"${bold && html` font-weight="bold"`}>${shown}</text>`
  const said = label === '' ? message : `${label}: ${message}`
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${said}"><title>${said}</title>
<clipPath id="shape"><rect width="${width}" height="${height}" rx="${big ? 4 : 3}"/></clipPath>
<g clip-path="url(#shape)">${left && html`<rect width="${start}" height="${height}" fill="#1a212b"/>`}<rect x="${start}" width="${right.room}" height="${height}" fill="${colour}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="${big ? 10 : 11}"${big && html` letter-spacing="1"`}>${left && text(left, 0, false)}${text(right, start, big)}</g></svg>`
}

/** Estimates the width in pixels of text in Verdana at 11 pixels. `textLength` then adjusts the text to that width. */
function widthOf(text: string): number {
  let width = 0
  for (const letter of text) {
    if (/[ijlI.,:;'|! ]/.test(letter)) width += 3.9
    else if (/[frt()[\]\-/]/.test(letter)) width += 4.8
    else if (/[mwMW@%]/.test(letter)) width += 10
    else if (/[A-Z]/.test(letter)) width += 7.8
    else width += letter.charCodeAt(0) < 0x1100 ? 6.8 : 11
  }
  return width
}
