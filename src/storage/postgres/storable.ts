import type { SqlValue } from '../sql/work.ts'

/** PostgreSQL takes every character but the one of code 0, which becomes the sign for what can't be shown. */
export function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value
}
