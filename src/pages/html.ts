import type { Language } from '../domain/language.ts'

/**
 * Markup that is safe to send, made only by the `html` tag. Its language is chosen when it is sent, so that no view needs
 * to know it.
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

  /** The same with what was typed before in the fields of these names. */
  withInput(kept: KeptInput): Html {
    return new Html(this.#parts, this.#values, kept)
  }
}

/** Kept input of a form: values by field name. */
export type KeptInput = Readonly<Record<string, readonly string[]>>

/** A part that depends on what was typed before, which only the whole page knows. */
class Typed {
  readonly of: (kept: KeptInput | undefined) => Content

  constructor(of: (kept: KeptInput | undefined) => Content) {
    this.of = of
  }
}

/** A text in every language, made by `words`. */
export class Words {
  readonly #said: Readonly<Record<Language, string | Html>>

  constructor(said: Readonly<Record<Language, string | Html>>) {
    this.#said = said
  }

  /** Text or markup. */
  in(language: Language): string | Html {
    return this.#said[language]
  }
}

/** Text of a page. A string, such as a name, is the same in all languages. */
export type Text = string | Words | Html

type Content = Text | Typed | number | false | null | undefined | readonly Content[]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * A template that escapes its values, in text and in quoted attributes. Nested templates and lists of them are inserted as
 * they are. Nothing turns the escaping off (decision 0003).
 */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(parts, values)
}

/** Texts in every language. */
export function words(said: Readonly<Record<Language, string | Html>>): Words {
  return new Words(said)
}

/** Renders a part of the page from kept input, when the page is sent; see `withInput`. */
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
