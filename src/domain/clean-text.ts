/** Returns the name on one line, without the control characters of text direction: they can disguise a name. */
export function oneLine(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

/** Returns at most `maxCharacters` UTF-16 units, never half a pair. A copy: a slice keeps the whole text in memory. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const cut = text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')
  return Buffer.from(cut, 'utf16le').toString('utf16le')
}
