import type { Answer } from './people.ts'

/** What a page says, as its reader gets it: no markup, no drawings. */
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

/** The error beside a field. */
export function fieldErrorOf(page: Answer, field: string): string {
  const [, inside = ''] = new RegExp(`id="${field}-error"[^>]*>([\\s\\S]*?)</div>`).exec(page.text) ?? []
  return wordsIn(inside).replace(/^Error: /, '')
}

/** The notice above a form, when there is one that is not about a field. */
export function noticeOf(page: Answer): string {
  const [, inside = ''] = /<div class="notice bad" role="alert">([\s\S]*?)<\/div><\/div>/.exec(page.text) ?? []
  return wordsIn(inside)
}

/** The hidden field against forgery. */
export function formTokenOf(page: Answer): string {
  return /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
}

/** All that a page says in its main part, in one line. */
export function visibleWordsIn(page: Answer): string {
  const [, main = ''] = /<main\b[^>]*>([\s\S]*)<\/main>/.exec(page.text) ?? []
  // Where one element ends another word begins, except inside a sentence.
  const apart = main.replace(/<(?!\/?(?:strong|a|mark|code|span)\b)[^>]+>/g, (tag) => `${tag} `)
  return wordsIn(apart).replace(/\s+/g, ' ').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&quot;', '"')
}
