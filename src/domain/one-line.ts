/**
 * A name as it is kept and shown: on one line, without spaces around it, and without the controls that turn
 * the direction of writing, by which a name can be made to read as another one.
 */
export function oneLine(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}
