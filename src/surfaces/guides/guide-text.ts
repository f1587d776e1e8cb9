import { posix } from 'node:path'
import { catalogue } from './catalogue.ts'

/** Values for the placeholders `{base_url}`, `{api_url}`, `{portal_url}` and `{version}` in guides. */
export interface ServiceValues {
  baseUrl: string
  apiUrl: string
  portalUrl: string
  version: string
}

/**
 * Values for the placeholders `{client_id}`, `{botId}` and `{path}`. An absent value leaves its placeholder unchanged.
 */
export interface ReaderValues {
  clientId?: string | undefined
  botId?: string | undefined
  path?: string | undefined
}

const codeBlock = /(^ *```[\s\S]*?^ *```$)/m
const link = /\[([^\]\n]+)\]\(([^()\s]+)\)/g
const programLink = /^( *)\[[^\]\n]+\]\(([^()\s]*examples\/[^()\s]+\.(\w+))\)$/gm

/**
 * Converts a guide's Markdown from the repository to the published version: fills in the service's URLs and version,
 * makes links to other guides absolute, and replaces a line that is only a link to code in `examples/` with the
 * code. Replaces a link to any other file with the link's text.
 *
 * @param file the guide's path in the repository. Relative links are resolved against it.
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
