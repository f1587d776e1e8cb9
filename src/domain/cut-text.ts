/**
 * Returns at most `maxCharacters` UTF-16 code units of the text, without splitting a surrogate pair. A shortened result
 * is a copy, because a slice would keep the whole text in memory.
 */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const cut = text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')
  return Buffer.from(cut, 'utf16le').toString('utf16le')
}
