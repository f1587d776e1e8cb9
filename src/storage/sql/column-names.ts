const known = new Map<string, string>()

/** Returns the name under which a column appears in rows: `created_at_ms` is `createdAtMs`. */
export function inCamelCase(column: string): string {
  let name = known.get(column)
  if (name === undefined) {
    name = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    known.set(column, name)
  }
  return name
}

/** Returns the column that appears as `name` in rows. */
export function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
