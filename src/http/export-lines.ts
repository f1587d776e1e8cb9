/** Returns a CSV line (RFC 4180). An apostrophe keeps spreadsheets from running a text of a user as a formula. */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(field).join(',')}\r\n`
}

/** Returns a whole file, with a line per row. The columns are the members of each row, in their order. */
export function exportOf(
  form: 'csv' | 'ndjson',
  columns: readonly string[],
  rows: readonly Readonly<Record<string, string | number | null>>[],
): string {
  if (form === 'ndjson') return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  return [columns, ...rows.map(Object.values)].map(csvLine).join('')
}

/** Returns a line of a CSV file that has only a text for the reader. It has as many fields as the others. */
export function csvNote(columns: readonly string[], text: string): string {
  return csvLine(columns.map((_column, index) => (index === 0 ? text : '')))
}

/** Returns the last line of an NDJSON file that ended at its limit. `before` or `after` continues it. */
export function truncationLine(at: { limit: number; before?: string; after?: number }): string {
  return `${JSON.stringify({ truncated: true, ...at })}\n`
}

/** Returns the headers of a file that browsers save under this name, without keeping another copy. */
export function exportHeaders(
  form: 'csv' | 'ndjson',
  name: string,
  mediaType = form === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
): Record<string, string> {
  return {
    'content-type': mediaType,
    'content-disposition': `attachment; filename="${name}.${form}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }
}

function field(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '')
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
