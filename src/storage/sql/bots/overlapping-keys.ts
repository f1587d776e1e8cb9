import type { OverlappingKey, StoredKey } from '../../../domain/bots/overlapping-key.ts'
import { inSnakeCase, insertInto, joined, raw, rowsOfEach, type Sql, sql, type Work } from '../sql.ts'

/** Identifies the flow or runtime that a key belongs to, by column. */
type Holder = Readonly<Record<string, string>>

/** Reads and writes a table of flow keys or runtime keys. A replaced key can remain valid for a while. */
export class OverlappingKeyRows {
  readonly #table: string

  constructor(table: 'flow_keys' | 'runtime_keys') {
    this.#table = table
  }

  /** The current key comes first. */
  list(holder: Holder): Work<OverlappingKey[]> {
    return this.#list(holder).rows()
  }

  listOfEach(holders: readonly Holder[]): Work<OverlappingKey[][]> {
    return rowsOfEach(holders.map((holder) => this.#list(holder)))
  }

  add(holder: Holder, { digest, lastFour }: StoredKey, nowMs: number): Work<void> {
    return insertInto(this.#table, { ...holder, digest, lastFour, madeAtMs: nowMs }).run()
  }

  /** Lets the current key expire at `endsAtMs`, or deletes it if that has passed. Deletes one already expiring. */
  *supersede(holder: Holder, endsAtMs: number, nowMs: number): Work<void> {
    const gone = endsAtMs <= nowMs ? raw('') : sql`AND ends_at_ms IS NOT NULL`
    yield* sql`DELETE ${this.#of(holder)} ${gone}`.run()
    yield* sql`UPDATE ${raw(this.#table)} SET ends_at_ms = ${endsAtMs} WHERE ${matching(holder)}`.run()
  }

  current(holder: Holder): Work<{ digest: Uint8Array } | undefined> {
    return sql`SELECT digest ${this.#of(holder)} AND ends_at_ms IS NULL`.first()
  }

  remove(number: number): Work<void> {
    return sql`DELETE FROM ${raw(this.#table)} WHERE number = ${number}`.run()
  }

  removeAll(holder: Holder): Work<void> {
    return sql`DELETE ${this.#of(holder)}`.run()
  }

  #list(holder: Holder): Sql {
    return sql`SELECT number, last_four, made_at_ms AS created_at_ms, last_used_at_ms, ends_at_ms ${this.#of(holder)}
      ORDER BY number DESC`
  }

  #of(holder: Holder): Sql {
    return sql`FROM ${raw(this.#table)} WHERE ${matching(holder)}`
  }
}

function matching(holder: Holder): Sql {
  const conditions = Object.entries(holder).map(([column, id]) => sql`${raw(inSnakeCase(column))} = ${id}`)
  return joined(conditions, ' AND ')
}
