/**
 * Returns the name trimmed and on one line, as it is stored and shown. Removes control characters that change the text
 * direction, because they can make one name look like another.
 */
export function oneLine(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

/**
 * Returns at most `maxCharacters` UTF-16 code units of the text, without splitting a surrogate pair. A shortened result
 * is a copy, because a slice would keep the whole text in memory.
 */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const cut = text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')
  return Buffer.from(cut, 'utf16le').toString('utf16le')
}
