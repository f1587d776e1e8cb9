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
