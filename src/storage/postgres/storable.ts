import type { SqlValue } from '../sql/work.ts'

/** Replaces U+0000, the only character that PostgreSQL can't store, with U+FFFD. */
export function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}
