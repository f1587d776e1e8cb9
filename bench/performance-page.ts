import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Folder of performance.md. Most of its text is written by hand. Benchmarks write only the parts between pairs of
 * markers, and the pictures.
 */
const docs = join(import.meta.dirname, '../docs')
const page = join(docs, 'performance.md')
const pictures = join(docs, 'performance')

/**
 * Replaces the part of the page between the markers with this name.
 *
 * @throws Error if the page lacks the markers.
 */
export function writePart(name: string, text: string): void {
  writeFileSync(page, withPart(readFileSync(page, 'utf8'), name, text))
}

export function withPart(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- bench: ${name} -->\n`, `\n<!-- end of ${name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`docs/performance.md needs the lines ${begin}and${end}`)
  return `${page.slice(0, from + begin.length)}${text}${page.slice(to)}`
}

export function writePicture(name: string, text: string): void {
  mkdirSync(pictures, { recursive: true })
  writeFileSync(join(pictures, name), text)
}

/** Returns a standalone SVG that adapts to light and dark color schemes. */
export function svg(
  { width, height, title, style }: { width: number; height: number; title: string; style: string },
  parts: readonly string[],
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeMarkup(title)}">
<style>text{font:12px system-ui,sans-serif;fill:#1f2328}@media (prefers-color-scheme:dark){text{fill:#e6edf3}}${style}
</style>
${parts.join('\n')}
</svg>
`
}

export function text(at: { x: number; y: number; class: string }, words: string): string {
  return `<text x="${at.x}" y="${at.y}"${at.class === '' ? '' : ` class="${at.class}"`}>${escapeMarkup(words)}</text>`
}

export function escapeMarkup(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
