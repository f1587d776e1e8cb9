import { setImmediate } from 'node:timers/promises'
import * as limits from '../../domain/limits/limits.ts'
import type { Guide, GuideBook, Part } from './guide-book.ts'

export interface Found {
  guide: Guide
  part: Part
  /** Text around the first match, split at the matches. Every second element is a search word. */
  excerpt: readonly string[]
}

const excerptCharacters = 200

/**
 * Returns the sections that match all search words, best matches first. Words in a heading, or next to each other, rank
 * higher. Searches one guide per event-loop tick, because the first search has to parse all guides.
 */
export async function searchGuides(guides: readonly Guide[], search: string): Promise<Found[]> {
  const words = wordsOf(search)
  if (words.length === 0) return []
  const scored: { guide: Guide; part: Part; score: number }[] = []
  for (const guide of guides) {
    for (const part of guide.parts) scored.push({ guide, part, score: scoreOf(guide, part, words) })
    await setImmediate()
  }
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limits.guideFoundMax)
    .map(({ guide, part }) => ({ guide, part, excerpt: excerptOf(part.text, words) }))
}

/** Returns a function for the search over all pages: the best sections whose heading or title has one of the words. */
export function guideFinder(book: GuideBook) {
  return async (search: string) => {
    const words = wordsOf(search)
    const found = (await searchGuides(book.all(), search)).filter(({ guide, part }) => {
      const titles = `${guide.title} ${part.title}`.toLowerCase()
      return words.some((word) => titles.includes(word))
    })
    return found.slice(0, limits.guidesFoundMax).map(({ guide, part }) => ({
      title: guide.title,
      section: part.title,
      path: pathOf(guide, part),
    }))
  }
}

export function pathOf({ entry }: Guide, { id }: Pick<Part, 'id'>): string {
  return `/guides/${entry.name}${id === '' ? '' : `#${id}`}`
}

function wordsOf(search: string): string[] {
  return [...new Set(search.toLowerCase().split(/\s+/))]
    .filter((word) => word !== '')
    .slice(0, limits.guideSearchWordsMax)
}

/** Returns how well the section matches, or 0 if a word is missing. */
function scoreOf(guide: Guide, part: Part, words: readonly string[]): number {
  const heading = part.title.toLowerCase()
  const title = guide.title.toLowerCase()
  const text = part.text.toLowerCase()
  let score = 0
  for (const word of words) {
    const one = heading.includes(word) ? 4 : title.includes(word) ? 2 : text.includes(word) ? 1 : 0
    if (one === 0) return 0
    score += one
  }
  return text.includes(words.join(' ')) ? score + 1 : score
}

function excerptOf(text: string, words: readonly string[]): string[] {
  const anyWord = new RegExp(`(${words.map((word) => RegExp.escape(word)).join('|')})`, 'iu')
  const at = Math.max(0, text.search(anyWord) - excerptCharacters / 4)
  const from = at === 0 ? 0 : text.indexOf(' ', at) + 1
  const shown = text.slice(from, from + excerptCharacters)
  const cut = from + excerptCharacters < text.length
  const pieces = `${from > 0 ? '… ' : ''}${cut ? shown.slice(0, shown.lastIndexOf(' ')) : shown}${cut ? ' …' : ''}`
  return pieces.split(new RegExp(anyWord.source, 'giu'))
}
