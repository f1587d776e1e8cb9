import type { Language } from '../domain/language.ts'

/**
 * Escaped markup, created only by the `html` tag. The language is chosen when the page is sent, so views don't need to
 * know it.
 */
export class Html {
  readonly #parts: readonly string[]
  readonly #values: readonly Content[]
  readonly #kept: KeptInput | undefined

  constructor(parts: readonly string[], values: readonly Content[], kept?: KeptInput) {
    this.#parts = parts
    this.#values = values
    this.#kept = kept
  }

  in(language: Language, around?: KeptInput): string {
    const kept = this.#kept ?? around
    let markup = this.#parts[0] as string
    for (const [index, value] of this.#values.entries())
      markup += render(value, language, kept) + this.#parts[index + 1]
    return markup
  }

  /** Returns the same markup with this input filled into its fields. */
  withInput(kept: KeptInput): Html {
    return new Html(this.#parts, this.#values, kept)
  }
}

/** Input of a form that was kept until its user had signed in again: values by field name. */
export type KeptInput = Readonly<Record<string, readonly string[]>>

/**
 * A part of the page that depends on kept input. The input is only known once {@link Html.withInput} is called on the
 * whole page.
 */
class Typed {
  readonly of: (kept: KeptInput | undefined) => Content

  constructor(of: (kept: KeptInput | undefined) => Content) {
    this.of = of
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

type Content = Text | Typed | number | false | null | undefined | readonly Content[]

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

/** Renders a part of the page from kept input when the page is sent; see {@link Html.withInput}. */
export function typed(of: (kept: KeptInput | undefined) => Content): Typed {
  return new Typed(of)
}

function render(value: Content, language: Language, kept: KeptInput | undefined): string {
  if (value instanceof Html) return value.in(language, kept)
  if (value instanceof Words) return render(value.in(language), language, kept)
  if (value instanceof Typed) return render(value.of(kept), language, kept)
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'object') return value.map((one) => render(one, language, kept)).join('')
  return String(value).replace(/[&<>"']/g, (character) => escapes[character] as string)
}
