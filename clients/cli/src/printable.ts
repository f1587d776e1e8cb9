/** Control characters except tab and line feed, and characters that change the text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern has to match control characters
const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/**
 * Escapes untrusted text for a terminal. Characters that could move the cursor, change colors or hide text become
 * escapes such as `\x1b`.
 */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unprintable, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Like {@link printable}, but also escapes line feeds and tabs, for use within a single line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}
