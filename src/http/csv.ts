/**
 * Returns a line of a CSV file (RFC 4180). Prefixes a text with an apostrophe if a spreadsheet would run it as a
 * formula, because untrusted users choose some of the texts.
 */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(field).join(',')}\r\n`
}

function field(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '')
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
