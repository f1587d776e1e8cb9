import type { OverlappingKey, StoredKey } from '../../domain/bots/overlapping-key.ts'
import { sameDigest } from '../../domain/secret.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** Names what keys belong to: a value for each of the table's columns that do. */
type Holder = readonly string[]

/**
 * The statements on a table of keys that overlap, of flows or of runtimes. Whatever writes runs inside
 * `SqliteFile.write`.
 */
export class OverlappingKeyRows {
  readonly #file: SqliteFile
  readonly #table: string
  readonly #columns: readonly string[]
  readonly #ofHolder: string

  /** @param columns those that name what a key belongs to. */
  constructor(file: SqliteFile, table: string, columns: readonly string[]) {
    this.#file = file
    this.#table = table
    this.#columns = columns
    this.#ofHolder = columns.map((column) => `${column} = ?`).join(' AND ')
  }

  /** The keys, the current one first. */
  list(holder: Holder): OverlappingKey[] {
    const rows: unknown[] = this.#file
      .statement(
        `SELECT number, last_four AS lastFour, made_at_ms AS madeAtMs, last_used_at_ms AS lastUsedAtMs,
           ends_at_ms AS endsAtMs FROM ${this.#table} WHERE ${this.#ofHolder} ORDER BY number DESC`,
      )
      .all(...holder)
    return (rows as OverlappingKey[]).map((row) => ({ ...row }))
  }

  add(holder: Holder, { digest, lastFour }: StoredKey, nowMs: number): void {
    const columns = [...this.#columns, 'digest', 'last_four', 'made_at_ms']
    this.#file
      .statement(`INSERT INTO ${this.#table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
      .run(...holder, digest, lastFour, nowMs)
  }

  /** The current key works on until `endsAtMs`; one that was ending already is gone. */
  supersede(holder: Holder, endsAtMs: number, nowMs: number): void {
    this.#file
      .statement(`DELETE FROM ${this.#table} WHERE ${this.#ofHolder} AND (ends_at_ms IS NOT NULL OR ? <= ?)`)
      .run(...holder, endsAtMs, nowMs)
    this.#file.statement(`UPDATE ${this.#table} SET ends_at_ms = ? WHERE ${this.#ofHolder}`).run(endsAtMs, ...holder)
  }

  hasCurrent(holder: Holder): boolean {
    return this.#current(holder) !== undefined
  }

  isCurrent(holder: Holder, { digest }: StoredKey): boolean {
    const current = this.#current(holder)
    return current !== undefined && sameDigest(current.digest, digest)
  }

  remove(number: number): void {
    this.#file.statement(`DELETE FROM ${this.#table} WHERE number = ?`).run(number)
  }

  removeAll(holder: Holder): void {
    this.#file.statement(`DELETE FROM ${this.#table} WHERE ${this.#ofHolder}`).run(...holder)
  }

  #current(holder: Holder): { digest: Uint8Array } | undefined {
    return this.#file
      .statement(`SELECT digest FROM ${this.#table} WHERE ${this.#ofHolder} AND ends_at_ms IS NULL`)
      .get(...holder) as { digest: Uint8Array } | undefined
  }
}
