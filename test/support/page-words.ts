import type { Answer } from './people.ts'

/** Returns the text that a reader of the page sees, without markup or drawings. */
function wordsIn(markup: string): string {
  return markup
    .replace(/<svg[\s\S]*?<\/svg>|<[^>]+>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .trim()
}

export function titleOf(page: Answer): string {
  return wordsIn(/<title>([\s\S]*?)<\/title>/.exec(page.text)?.[1] ?? '')
}

export function fieldErrorOf(page: Answer, field: string): string {
  const [, inside = ''] = new RegExp(`id="${field}-error"[^>]*>([\\s\\S]*?)</div>`).exec(page.text) ?? []
  return wordsIn(inside).replace(/^(?:Error|Fehler): /, '')
}

/** Returns the notice above a form, or an empty string if there is none. */
export function noticeOf(page: Answer): string {
  const [, inside = ''] = /<div class="notice bad" role="alert">([\s\S]*?)<\/div><\/div>/.exec(page.text) ?? []
  return wordsIn(inside)
}

export function formTokenOf(page: Answer): string {
  return /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
}

/** Returns the text between the tags, on one line. */
export function textIn(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Returns all text of the page's main part, on one line. */
export function visibleWordsIn(page: Answer): string {
  const [, main = ''] = /<main\b[^>]*>([\s\S]*)<\/main>/.exec(page.text) ?? []
  // Inserts spaces between adjacent elements, except for inline elements within a sentence.
  const apart = main.replace(/<(?!\/?(?:strong|a|mark|code|span)\b)[^>]+>/g, (tag) => `${tag} `)
  return wordsIn(apart).replace(/\s+/g, ' ').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&quot;', '"')
}
