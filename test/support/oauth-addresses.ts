import assert from 'node:assert/strict'

export function without(url: string, name: string): string {
  const changed = new URL(url)
  changed.searchParams.delete(name)
  return String(changed)
}

export function queryOf(location: URL | undefined): Record<string, string> {
  assert.ok(location, 'there is no redirect')
  return Object.fromEntries(location.searchParams)
}
