import assert from 'node:assert/strict'

/** Address with one parameter left out. */
export function without(url: string, name: string): string {
  const changed = new URL(url)
  changed.searchParams.delete(name)
  return String(changed)
}

/** The answer the application gets, as a plain object of its query. */
export function queryOf(location: URL | undefined): Record<string, string> {
  assert.ok(location, 'there is no redirect')
  return Object.fromEntries(location.searchParams)
}
