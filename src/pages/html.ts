import { type Language, sourceLanguage } from '../domain/language.ts'
import { idOf, keyOf, type Translation, translationOf } from './catalogues.ts'

/** Escaped markup, created only by the `html` tag. The language is chosen when the page is sent. */
export class Html {
  readonly #parts: readonly string[]
  readonly #values: readonly Content[]
  readonly #formToken: string | undefined

  constructor(parts: readonly string[], values: readonly Content[], formToken?: string) {
    this.#parts = parts
    this.#values = values
    this.#formToken = formToken
  }

  /** @param formToken the token of the surrounding page's forms. */
  in(language: Language, formToken?: string): string {
    const token = this.#formToken ?? formToken
    let markup = this.#parts[0] as string
    for (const [index, value] of this.#values.entries())
      markup += render(value, language, token) + this.#parts[index + 1]
    return markup
  }

  withFormToken(formToken: string | undefined): Html {
    return new Html(this.#parts, this.#values, formToken)
  }
}

/** The hidden field of every form that posts. Its token is chosen when the page is sent, as the language is. */
export const formTokenField = Symbol('form token')

/** Text that is said in the language of the page or email. Created by {@link t} and {@link plural}. */
export class Words {
  readonly #say: (language: Language) => string | Html
  readonly message: Message | undefined

  /** @param say for what depends on the language, but not on a catalogue, such as dates. */
  constructor(say: (language: Language) => string | Html, message?: Message) {
    this.#say = say
    this.message = message
  }

  in(language: Language): string | Html {
    return this.#say(language)
  }
}

/** A text in English with its values. It is translated by a catalogue. */
interface Message {
  parts: readonly string[]
  values: readonly Content[]
  context: string | undefined
  isMarkup: boolean
}

/** Text on a page. Plain strings, such as names, are the same in every language. */
export type Text = string | Words | Html

export type Content = Text | typeof formTokenField | number | false | null | undefined | readonly Content[]

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes its values, for text and quoted attributes, but not nested templates. Always on (decision 0003). */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(parts, values)
}

/**
 * Creates a text: t`Save changes`. `npm run catalogues` adds it to the catalogues. Escapes values as {@link html} does;
 * the text itself is not markup.
 * - t.html`Enter <strong>both</strong>.` is a text with markup. Its translations must have the same tags.
 * - t.in('state of a bot')`State` has a translation of its own, for words with several meanings.
 */
export const t = Object.assign(tag(undefined, false), {
  html: tag(undefined, true),
  in: (context: string) => tag(context, false),
})

/** Shortens a text of a user or a program for a page. */
export function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Chooses between a text for one and a text for another number: plural(n, t`1 bot`, t`${n} bots`). */
export function plural(count: number, one: Words, other: Words): Words {
  return new Words((language) => {
    const [single, many] = [one.message as Message, other.message as Message]
    const translation = translated(single, language, count)
    return translation === undefined && count === 1 ? say(single, language) : say(many, language, translation)
  })
}

/** Creates a text whose English comes from elsewhere. `test/support/messages.ts` must list its ID for translation. */
export function translatable(english: string, context: string, id = english, values: readonly Content[] = []): Words {
  return new Words((language) => {
    const translation = language === sourceLanguage ? undefined : translationOf(keyOf(id, context), language)
    return translation === undefined
      ? english
      : say({ parts: [], values, context, isMarkup: false }, language, translation)
  })
}

function tag(context: string | undefined, isMarkup: boolean) {
  return (parts: TemplateStringsArray, ...values: Content[]): Words => {
    const message = { parts, values, context, isMarkup }
    return new Words((language) => say(message, language, translated(message, language)), message)
  }
}

function translated({ parts, context }: Message, language: Language, count?: number): Translation | undefined {
  return language === sourceLanguage ? undefined : translationOf(keyOf(idOf(parts), context), language, count)
}

function say({ parts, values, isMarkup }: Message, language: Language, translation?: Translation): string | Html {
  const texts = translation?.parts ?? parts
  const between = (translation?.values.map((at) => values[at]) ?? values).map((value) =>
    value instanceof Words ? value.in(language) : value,
  )
  if (isMarkup) return new Html(texts, between)
  if (between.some((value) => typeof value === 'object' && value !== null)) return new Html(texts.map(escaped), between)
  return texts.reduce((said, text, at) => `${said}${shown(between[at - 1])}${text}`)
}

function shown(value: Content): string {
  return value === false || value === null || value === undefined ? '' : String(value)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] as string)
}

function render(value: Content, language: Language, formToken: string | undefined): string {
  if (value instanceof Html) return value.in(language, formToken)
  if (value instanceof Words) return render(value.in(language), language, formToken)
  if (value === formTokenField) {
    if (formToken === undefined) throw new Error('a page with a form has no form token')
    return `<input type="hidden" name="form_token" value="${formToken}">`
  }
  if (typeof value === 'object' && value !== null) return value.map((one) => render(one, language, formToken)).join('')
  return escaped(shown(value))
}
