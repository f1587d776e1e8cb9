import { languages } from '../../domain/language.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type Text, t, Words } from '../../pages/html.ts'

export type HitKind = 'application' | 'bot' | 'flow' | 'action' | 'page' | 'guide' | 'event'

export interface Hit {
  kind: HitKind
  title: Text
  /** The part of the title that is the same for all objects, if any. Only this part is searched as the title. */
  verb?: Text
  /** The pages that contain the found page, the outermost first. */
  where: readonly Text[]
  href: string
  /** IDs and other words that find the page although the results don't show them. */
  alsoKnownAs: readonly Text[]
}

const points = { beginsTitle: 4, insideTitle: 3, around: 1 }

/** Endings that are removed from a search word, so that “runtimes” finds “runtime”. */
const pluralEndings = t.in('search: plural endings')`ies es s`

const stemMinCharacters = 3

export function searchWords(search: string): string[] {
  const words = new Set(folded(search).split(/\s+/).filter(Boolean))
  return [...words].slice(0, limits.siteSearchWordsMax)
}

/** Returns the hits with every word or its singular, in any language, best first, then in their own order. */
export function ranked(hits: readonly Hit[], words: readonly string[]): Hit[] {
  // Most texts are the same in many hits.
  const texts = new Map<Text, string>()
  const textOf = (text: Text) => texts.getOrInsertComputed(text, inAllLanguages)
  const endings = textOf(pluralEndings).split(' ')
  const searched = words.map((word): SearchedWord => {
    const stems = endings.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length))
    return { word, beginnings: [word, ...stems.filter((stem) => stem.length >= stemMinCharacters)] }
  })
  return hits
    .map((hit) => ({ hit, score: scoreOf(hit, searched, textOf) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ hit }) => hit)
}

interface SearchedWord {
  word: string
  /** The word itself, and the word without each plural ending. */
  beginnings: readonly string[]
}

function scoreOf(
  { title, verb = title, where, alsoKnownAs }: Hit,
  words: readonly SearchedWord[],
  textOf: (text: Text) => string,
): number {
  const titleText = ` ${textOf(verb)}`
  const around = ` ${[...where, ...alsoKnownAs].map(textOf).join(' ')}`
  let score = 0
  for (const { word, beginnings } of words) {
    const begins = (text: string) => beginnings.some((beginning) => text.includes(` ${beginning}`))
    if (begins(titleText)) score += points.beginsTitle
    else if (titleText.includes(word)) score += points.insideTitle
    else if (around.includes(word) || begins(around)) score += points.around
    else return 0
  }
  return score
}

function inAllLanguages(text: Text): string {
  return folded(text instanceof Words ? languages.map((language) => String(text.in(language))).join(' ') : String(text))
}

function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
