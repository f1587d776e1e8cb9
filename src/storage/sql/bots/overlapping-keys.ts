import type { OverlappingKey, StoredKey } from '../../../domain/bots/overlapping-key.ts'
import { sameDigest } from '../../../domain/secret.ts'
import { changes, firstRow, rows, rowsOfEach, type Work } from '../work.ts'

/** Names what keys belong to: a value for each of the table's columns that do. */
type Holder = readonly string[]

/** Works on a table of keys that overlap, of flows or of runtimes. */
export class OverlappingKeyRows {
  readonly #table: string
  readonly #columns: readonly string[]
  readonly #ofHolder: string
  readonly #list: string

  /** @param columns those that name what a key belongs to. */
  constructor(table: string, columns: readonly string[]) {
    this.#table = table
    this.#columns = columns
    this.#ofHolder = columns.map((column) => `${column} = ?`).join(' AND ')
    this.#list = `SELECT number, last_four AS "lastFour", made_at_ms AS "madeAtMs", last_used_at_ms AS "lastUsedAtMs",
      ends_at_ms AS "endsAtMs" FROM ${table} WHERE ${this.#ofHolder} ORDER BY number DESC`
  }

  /** The keys, the current one first. */
  *list(holder: Holder): Work<OverlappingKey[]> {
    return copied(yield* rows<OverlappingKey>(this.#list, ...holder))
  }

  /** The keys of each, in their order. */
  *listOfEach(holders: readonly Holder[]): Work<OverlappingKey[][]> {
    return (yield* rowsOfEach<OverlappingKey>(this.#list, holders)).map(copied)
  }

  *add(holder: Holder, { digest, lastFour }: StoredKey, nowMs: number): Work<void> {
    const columns = [...this.#columns, 'digest', 'last_four', 'made_at_ms']
    yield* changes(
      `INSERT INTO ${this.#table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      ...holder,
      digest,
      lastFour,
      nowMs,
    )
  }

  /** The current key works on until `endsAtMs`; one that was ending already is gone. */
  *supersede(holder: Holder, endsAtMs: number, nowMs: number): Work<void> {
    const gone = endsAtMs <= nowMs ? '' : 'AND ends_at_ms IS NOT NULL'
    yield* changes(`DELETE FROM ${this.#table} WHERE ${this.#ofHolder} ${gone}`, ...holder)
    yield* changes(`UPDATE ${this.#table} SET ends_at_ms = ? WHERE ${this.#ofHolder}`, endsAtMs, ...holder)
  }

  *hasCurrent(holder: Holder): Work<boolean> {
    return (yield* this.#current(holder)) !== undefined
  }

  *isCurrent(holder: Holder, { digest }: StoredKey): Work<boolean> {
    const current = yield* this.#current(holder)
    return current !== undefined && sameDigest(current.digest, digest)
  }

  *remove(number: number): Work<void> {
    yield* changes(`DELETE FROM ${this.#table} WHERE number = ?`, number)
  }

  *removeAll(holder: Holder): Work<void> {
    yield* changes(`DELETE FROM ${this.#table} WHERE ${this.#ofHolder}`, ...holder)
  }

  #current(holder: Holder): Work<{ digest: Uint8Array } | undefined> {
    return firstRow(`SELECT digest FROM ${this.#table} WHERE ${this.#ofHolder} AND ends_at_ms IS NULL`, ...holder)
  }
}

function copied(rows: readonly OverlappingKey[]): OverlappingKey[] {
  return rows.map((row) => ({ ...row }))
}
