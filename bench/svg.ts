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
