import type { OverlappingKey, StoredKey } from '../../../domain/bots/overlapping-key.ts'
import { sameDigest } from '../../../domain/secret.ts'
import { changes, firstRow, rows, rowsOfEach, type Work } from '../database.ts'

/** Identifies the flow or runtime that a key belongs to: the values of `columns`, in the same order. */
type Holder = readonly string[]

/** Reads and writes a table of flow keys or runtime keys. A replaced key can remain valid for a while. */
export class OverlappingKeyRows {
  readonly #table: string
  readonly #columns: readonly string[]
  readonly #whereHolder: string
  readonly #list: string

  /** @param columns the columns that identify the flow or runtime that a key belongs to. */
  constructor(table: string, columns: readonly string[]) {
    this.#table = table
    this.#columns = columns
    this.#whereHolder = columns.map((column) => `${column} = ?`).join(' AND ')
    this.#list = `SELECT number, last_four AS "lastFour", made_at_ms AS "createdAtMs", last_used_at_ms AS "lastUsedAtMs",
      ends_at_ms AS "endsAtMs" FROM ${table} WHERE ${this.#whereHolder} ORDER BY number DESC`
  }

  /** Returns the keys, current one first. */
  *list(holder: Holder): Work<OverlappingKey[]> {
    return copied(yield* rows<OverlappingKey>(this.#list, ...holder))
  }

  /** Returns each holder's keys, in the order of `holders`. */
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

  /**
   * Lets the current key expire at `endsAtMs` and deletes a key that was already expiring. If `endsAtMs` has passed,
   * deletes both.
   */
  *supersede(holder: Holder, endsAtMs: number, nowMs: number): Work<void> {
    const gone = endsAtMs <= nowMs ? '' : 'AND ends_at_ms IS NOT NULL'
    yield* changes(`DELETE FROM ${this.#table} WHERE ${this.#whereHolder} ${gone}`, ...holder)
    yield* changes(`UPDATE ${this.#table} SET ends_at_ms = ? WHERE ${this.#whereHolder}`, endsAtMs, ...holder)
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
    yield* changes(`DELETE FROM ${this.#table} WHERE ${this.#whereHolder}`, ...holder)
  }

  #current(holder: Holder): Work<{ digest: Uint8Array } | undefined> {
    return firstRow(`SELECT digest FROM ${this.#table} WHERE ${this.#whereHolder} AND ends_at_ms IS NULL`, ...holder)
  }
}

function copied(rows: readonly OverlappingKey[]): OverlappingKey[] {
  return rows.map((row) => ({ ...row }))
}
