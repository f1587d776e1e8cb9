/**
 * Returns the beginning of the text, without half a character at its end. The copy does not keep the whole text in
 * memory, as a slice would.
 */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const cut = text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')
  return Buffer.from(cut, 'utf16le').toString('utf16le')
}
