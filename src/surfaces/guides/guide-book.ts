import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lexer } from 'marked'
import { type Html, html } from '../../pages/html.ts'
import { catalogue, type GuideEntry } from './catalogue.ts'
import { pageLink, publishedText, type ReaderValues, type ServiceValues, withReaderValues } from './guide-text.ts'
import { outlineOf, type Part } from './outline.ts'
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
  /** Guides rendered without a reader's values. */
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
    let rendered = this.#rendered.get(guide)
    if (rendered === undefined) {
      rendered = this.#markup(text)
      this.#rendered.set(guide, rendered)
    }
    return rendered
  }

  #read(entry: GuideEntry): Guide {
    let guide = this.#guides.get(entry)
    if (guide === undefined) {
      const text = publishedText(readFileSync(join(root, entry.file), 'utf8'), entry.file, this.service)
      guide = new Guide(entry, text)
      this.#guides.set(entry, guide)
    }
    return guide
  }

  #markup(text: string): Html {
    const tokens = lexer(text)
    const ids = new Map(outlineOf(tokens).flatMap(({ heading, id }) => (heading === undefined ? [] : [[heading, id]])))
    const hrefOf = (target: string) => pageLink(target, this.service.portalUrl)
    return html`${renderBlocks(tokens, { ids, hrefOf })}`
  }
}
