import type { Token, Tokens } from 'marked'

/** A section of a guide: its heading and its text. The first section has no heading. */
export interface Part {
  /** URL fragment in GitHub's format, so that links also work in the repository. `''` is the guide's beginning. */
  id: string
  depth: number
  title: string
  heading: Token | undefined
  /** The section's plain text, for searching. */
  text: string
}

/** Returns a guide's sections. The first one contains the text before the first heading below the title. */
export function outlineOf(tokens: readonly Token[]): Part[] {
  const parts: Part[] = [{ id: '', depth: 1, title: '', heading: undefined, text: '' }]
  const taken = new Map<string, number>()
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth > 1) {
      const title = plainText(token)
      parts.push({ id: idOf(title, taken), depth: token.depth, title, heading: token, text: '' })
    } else if (token.type !== 'heading') {
      const part = parts.at(-1) as Part
      part.text = `${part.text} ${plainText(token)}`.replace(/\s+/g, ' ').trim()
    }
  }
  return parts
}

function idOf(title: string, taken: Map<string, number>): string {
  const id = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
  const before = taken.get(id) ?? 0
  taken.set(id, before + 1)
  return before === 0 ? id : `${id}-${before}`
}

/** Returns the text of a token without its markup, with a space between blocks. */
export function plainText(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].map((row) => row.map(({ tokens }) => inline(tokens)).join(' ')).join(' ')
  }
  if (token.type === 'list') {
    return (token as Tokens.List).items.map(({ tokens }) => tokens.map(plainText).join(' ')).join(' ')
  }
  if ('tokens' in token && token.tokens !== undefined) return inline(token.tokens)
  return 'text' in token ? String(token.text) : ''
}

function inline(tokens: readonly Token[]): string {
  return tokens.map(plainText).join('')
}
