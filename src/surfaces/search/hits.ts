import { languages } from '../../domain/language.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type Text, Words } from '../../pages/html.ts'

export type HitKind = 'application' | 'bot' | 'flow' | 'page' | 'guide' | 'event'

/** A page that a search can find. */
export interface Hit {
  kind: HitKind
  title: Text
  /** The pages that contain the found page, the outermost first. */
  where: readonly Text[]
  href: string
  /** IDs and other words that find the page although the results don't show them. */
  alsoKnownAs: readonly string[]
}

/** Points per search word, by the place where it was found. */
const points = { beginsTitle: 4, insideTitle: 3, around: 1 }

/** Splits a search text into words, ignoring case. */
export function searchWords(search: string): string[] {
  const words = new Set(folded(search).split(/\s+/).filter(Boolean))
  return [...words].slice(0, limits.siteSearchWordsMax)
}

/**
 * Returns the hits that contain every search word, in any language of the pages, best first. Hits with the same score
 * keep their order.
 */
export function ranked(hits: readonly Hit[], words: readonly string[]): Hit[] {
  return hits
    .map((hit) => ({ hit, score: scoreOf(hit, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ hit }) => hit)
}

/** Returns the hit's score, or 0 if a search word is missing. */
function scoreOf({ title, where, alsoKnownAs }: Hit, words: readonly string[]): number {
  const titleText = ` ${textOf(title)}`
  const around = [...where.map(textOf), ...alsoKnownAs.map(folded)].join(' ')
  let score = 0
  for (const word of words) {
    if (titleText.includes(` ${word}`)) score += points.beginsTitle
    else if (titleText.includes(word)) score += points.insideTitle
    else if (around.includes(word)) score += points.around
    else return 0
  }
  return score
}

function textOf(text: Text): string {
  return folded(text instanceof Words ? languages.map((language) => String(text.in(language))).join(' ') : String(text))
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
