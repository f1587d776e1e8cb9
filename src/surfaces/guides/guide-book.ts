import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'
import { type Html, html } from '../../pages/html.ts'
import { catalogue, type GuideEntry } from './catalogue.ts'
import { renderBlocks } from './render-markdown.ts'

export class Guide {
  readonly entry: GuideEntry
  readonly title: string
  /** The published Markdown, with the service's URLs filled in. */
  readonly text: string
  #parts: readonly Part[] | undefined

  constructor(entry: GuideEntry, text: string) {
    this.entry = entry
    this.title = /^# (.+)$/m.exec(text)?.[1] ?? entry.name
    this.text = text
  }

  get parts(): readonly Part[] {
    this.#parts ??= outlineOf(lexer(this.text))
    return this.#parts
  }
}

const root = join(import.meta.dirname, '../../..')

/** One service's guides. Each is read on first use and then cached, as is its rendering without a reader's values. */
export class GuideBook {
  readonly service: ServiceValues
  readonly #guides = new Map<GuideEntry, Guide>()
  readonly #rendered = new Map<Guide, Html>()

  constructor(service: ServiceValues) {
    this.service = service
  }

  /** Returns the guide with this name in its URL, or `undefined` if the catalogue doesn't contain it. */
  find(name: string): Guide | undefined {
    const entry = catalogue.find((one) => one.name === name)
    return entry && this.#read(entry)
  }

  all(): Guide[] {
    return catalogue.map((entry) => this.#read(entry))
  }

  render(guide: Guide, values: ReaderValues): Html {
    const text = withReaderValues(guide.text, values)
    if (text !== guide.text) return this.#markup(text)
    return this.#rendered.getOrInsertComputed(guide, () => this.#markup(text))
  }

  #read(entry: GuideEntry): Guide {
    const read = (file: string) => readFileSync(join(root, file), 'utf8')
    return this.#guides.getOrInsertComputed(
      entry,
      ({ file }) => new Guide(entry, publishedText(read(file), file, this.service, read)),
    )
  }

  #markup(text: string): Html {
    const tokens = lexer(text)
    const ids = new Map(outlineOf(tokens).flatMap(({ heading, id }) => (heading === undefined ? [] : [[heading, id]])))
    const hrefOf = (target: string) => pageLink(target, this.service.portalUrl)
    return html`${renderBlocks(tokens, { ids, hrefOf })}`
  }
}

/** A section of a guide: its heading and its text. The first section has no heading. */
export interface Part {
  /** URL fragment in GitHub's format, so that links also work in the repository. `''` is the guide's beginning. */
  id: string
  depth: number
  title: string
  heading: Token | undefined
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
function plainText(token: Token): string {
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

/** Values for the placeholders `{base_url}`, `{api_url}`, `{portal_url}` and `{version}` in guides. */
export interface ServiceValues {
  baseUrl: string
  apiUrl: string
  portalUrl: string
  version: string
}

/** Values for the placeholders `{client_id}`, `{botId}` and `{path}`. A placeholder without a value stays. */
export interface ReaderValues {
  clientId?: string | undefined
  botId?: string | undefined
  path?: string | undefined
}

const codeBlock = /(^ *```[\s\S]*?^ *```$)/m
const link = /\[([^\]\n]+)\]\(([^()\s]+)\)/g
const programLink = /^( *)\[[^\]\n]+\]\(([^()\s]*examples\/[^()\s]+\.(\w+))\)$/gm

/**
 * Converts a guide's Markdown to the published version: with the service's values, absolute links to other guides, code
 * in place of lines that only link to `examples/`, and only the texts of other links.
 *
 * @param file the guide's path in the repository, against which links are resolved.
 * @param read returns the text of another file of the repository.
 */
export function publishedText(source: string, file: string, service: ServiceValues, read: (file: string) => string) {
  const program = (_line: string, indent: string, target: string, language: string) =>
    `\`\`\`${language}\n${read(posix.join(posix.dirname(file), target)).trim()}\n\`\`\``.replace(/^(?=.)/gm, indent)
  const linked = source
    .replace(programLink, program)
    .split(codeBlock)
    .map((part, index) => (index % 2 === 1 ? part : withPublishedLinks(part, file, service)))
    .join('')
  const { baseUrl, apiUrl, portalUrl, version } = service
  return filled(linked, { base_url: baseUrl, api_url: apiUrl, portal_url: portalUrl, version })
}

function withPublishedLinks(prose: string, file: string, { portalUrl }: ServiceValues): string {
  return prose.replace(link, (whole, text: string, target: string) => {
    if (/^(https?:|#|\{)/.test(target)) return whole
    const [path = '', fragment] = target.split('#')
    const wanted = posix.join(posix.dirname(file), path)
    const guide = catalogue.find((entry) => entry.file === wanted)
    if (guide === undefined) return text
    return `[${text}](${guideUrl(portalUrl, guide.name)}${fragment === undefined ? '' : `#${fragment}`})`
  })
}

export function guideUrl(portalUrl: string, name: string): string {
  return `${portalUrl}/guides/${name}.md`
}

/** Converts a link to a guide's Markdown version to the path of the guide's page. Returns other links unchanged. */
export function pageLink(href: string, portalUrl: string): string {
  return href.startsWith(`${portalUrl}/guides/`) ? href.slice(portalUrl.length).replace(/\.md(?=#|$)/, '') : href
}

/** Replaces the placeholders with the reader's own values, which need no escaping in Markdown code. */
export function withReaderValues(text: string, { clientId, botId, path }: ReaderValues): string {
  return filled(text, { client_id: clientId, botId, path })
}

function filled(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/(?<!\$)\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  )
}
