import { posix } from 'node:path'
import { catalogue } from './catalogue.ts'

/** Where the service is. Guides name these `{base_url}`, `{api_url}` and `{portal_url}`. */
export interface ServiceUrls {
  baseUrl: string
  apiUrl: string
  portalUrl: string
}

/** Values for the placeholders `{client_id}`, `{botId}` and `{path}`. An absent value leaves its placeholder unchanged. */
export interface ReaderValues {
  clientId?: string | undefined
  botId?: string | undefined
  path?: string | undefined
}

const codeBlock = /(^ *```[\s\S]*?^ *```$)/m
const link = /\[([^\]\n]+)\]\(([^()\s]+)\)/g
const recipeComment = /^<!-- recipe: .+ -->\n/gm

/**
 * Turns a guide's Markdown in the repository into what the service publishes: with its own URLs, and with absolute links
 * to the other guides. A link to a file that isn't published becomes its text.
 *
 * @param file the guide's path in the repository, from which its links start.
 */
export function publishedText(source: string, file: string, urls: ServiceUrls): string {
  const linked = source
    .replace(recipeComment, '')
    .split(codeBlock)
    .map((part, index) => (index % 2 === 1 ? part : withPublishedLinks(part, file, urls)))
    .join('')
  return filled(linked, { base_url: urls.baseUrl, api_url: urls.apiUrl, portal_url: urls.portalUrl })
}

function withPublishedLinks(prose: string, file: string, { portalUrl }: ServiceUrls): string {
  return prose.replace(link, (whole, text: string, target: string) => {
    if (/^(https?:|#|\{)/.test(target)) return whole
    const [path = '', fragment] = target.split('#')
    const wanted = posix.join(posix.dirname(file), path)
    const guide = catalogue.find((entry) => entry.file === wanted)
    if (guide === undefined) return text
    return `[${text}](${guideUrl(portalUrl, guide.name)}${fragment === undefined ? '' : `#${fragment}`})`
  })
}

/** Returns the URL of a guide as Markdown. */
export function guideUrl(portalUrl: string, name: string): string {
  return `${portalUrl}/guides/${name}.md`
}

/** Returns the path of the page for a link in a published guide. Other links stay as they are. */
export function pageLink(href: string, portalUrl: string): string {
  return href.startsWith(`${portalUrl}/guides/`) ? href.slice(portalUrl.length).replace(/\.md(?=#|$)/, '') : href
}

/** Fills in the reader's own values. All consist of characters without a meaning in Markdown's code. */
export function withReaderValues(text: string, { clientId, botId, path }: ReaderValues): string {
  return filled(text, { client_id: clientId, botId, path })
}

function filled(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/(?<!\$)\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  )
}
