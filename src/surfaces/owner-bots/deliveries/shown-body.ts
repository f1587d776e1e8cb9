import type { BodyPreview } from '../../../domain/webhooks/delivery-list.ts'
import { type Html, html } from '../../../pages/html.ts'
import { prettyJson } from './pretty-json.ts'

/** Maximum size of a body as markup, in bytes. The download contains the whole body. */
const shownBytes = 16_000

export interface ShownBody {
  markup: Html
  form: 'json' | 'text' | 'hex'
  isCut: boolean
}

/**
 * Formats a body for its page: JSON indented and highlighted, other text as it is, and anything else as hexadecimal.
 */
export function shownBody({ form, shown: text, cut }: BodyPreview): ShownBody {
  const pretty = form === 'text' && !cut ? prettyJson(text) : undefined
  const { markup, isCut } = fitted(pretty === undefined ? [{ kind: 'plain', text }] : tokensOf(pretty))
  return { markup, form: pretty === undefined ? form : 'json', isCut: isCut || cut }
}

interface Token {
  kind: 'name' | 'string' | 'other' | 'plain'
  text: string
}

/** Splits indented JSON into member names, strings, other values, and punctuation. */
function tokensOf(pretty: string): Token[] {
  const pattern = /("(?:[^"\\]|\\.)*")(?=(:)?)|([-+.\w]+)|[^"\-+.\w]+/g
  return [...pretty.matchAll(pattern)].map(([text, string, colon, value]) => {
    if (string !== undefined) return { kind: colon === undefined ? 'string' : 'name', text }
    return { kind: value === undefined ? 'plain' : 'other', text }
  })
}

/** Uses the shortest tags, because each token has one. The stylesheet defines their look. */
const tags: Record<Token['kind'], (text: string) => Html> = {
  name: (text) => html`<b>${text}</b>`,
  string: (text) => html`<i>${text}</i>`,
  other: (text) => html`<u>${text}</u>`,
  plain: (text) => html`${text}`,
}

const tagBytes = 7

function fitted(tokens: readonly Token[]): { markup: Html; isCut: boolean } {
  const shown: Html[] = []
  let room = shownBytes
  for (const { kind, text } of tokens) {
    if (kind !== 'plain') room -= tagBytes
    const { characters, left } = fittingCharacters(text, room)
    const fits = text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')
    shown.push(tags[kind](fits))
    if (characters < text.length) return { markup: html`${shown}…`, isCut: true }
    room = left
  }
  return { markup: html`${shown}`, isCut: false }
}

/** Returns how many leading characters fit into this many bytes, estimated as UTF-8 after escaping. */
function fittingCharacters(text: string, bytes: number): { characters: number; left: number } {
  let left = bytes
  let characters = 0
  for (; characters < text.length && left > 0; characters += 1) {
    const character = text[characters] as string
    left -= /[&<>"']/.test(character) ? 6 : character > '\u007f' ? 3 : 1
  }
  return { characters, left }
}
