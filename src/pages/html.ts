import type { Language } from '../domain/language.ts'

/**
 * Escaped markup, created only by the `html` tag. The language is chosen when the page is sent, so views don't need to
 * know it.
 */
export class Html {
  readonly #parts: readonly string[]
  readonly #values: readonly Content[]

  constructor(parts: readonly string[], values: readonly Content[]) {
    this.#parts = parts
    this.#values = values
  }

  in(language: Language): string {
    let markup = this.#parts[0] as string
    for (const [index, value] of this.#values.entries()) markup += render(value, language) + this.#parts[index + 1]
    return markup
  }
}

/** Display text in every supported language. Created by {@link words}. */
export class Words {
  readonly #said: Readonly<Record<Language, string | Html>>

  constructor(said: Readonly<Record<Language, string | Html>>) {
    this.#said = said
  }

  in(language: Language): string | Html {
    return this.#said[language]
  }
}

/** Text on a page. Plain strings, such as names, are the same in every language. */
export type Text = string | Words | Html

type Content = Text | number | false | null | undefined | readonly Content[]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * Escapes its values, for text and quoted attributes. Nested templates, alone or in lists, are inserted unchanged.
 * Escaping can't be turned off (decision 0003).
 */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(parts, values)
}

/** Creates display text in every supported language. */
export function words(said: Readonly<Record<Language, string | Html>>): Words {
  return new Words(said)
}

function render(value: Content, language: Language): string {
  if (value instanceof Html) return value.in(language)
  if (value instanceof Words) return render(value.in(language), language)
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map((one) => render(one, language)).join('')
  return String(value).replace(/[&<>"']/g, (character) => escapes[character] as string)
}
