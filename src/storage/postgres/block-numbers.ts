import { sql } from '../sql/sql.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** Block sizes must never change, or row numbers would be assigned twice. */
export const numberBlocks = {
  session_blocks: { table: 'sessions', size: 50 },
  token_family_blocks: { table: 'token_families', size: 5_000 },
  access_token_blocks: { table: 'access_tokens', size: 5_000 },
} as const
export type BlockSequence = keyof typeof numberBlocks

/** Assigns numbers from blocks of a shared sequence, so most need no round trip. Fetches the next at half a block. */
export class BlockNumbers {
  readonly #database: PostgresDatabase
  readonly #sequence: BlockSequence
  readonly #size: number
  #next = 0
  #end = 0
  #nextBlock: Promise<number> | undefined

  constructor(database: PostgresDatabase, sequence: BlockSequence) {
    this.#database = database
    this.#sequence = sequence
    this.#size = numberBlocks[sequence].size
  }

  /** Returns an unused number; some may be skipped. Throws StoreUnavailable if the next block can't be fetched. */
  next(): number | Promise<number> {
    if (this.#end - this.#next <= this.#size / 2) this.#requestBlock()
    return this.#next < this.#end ? this.#take() : this.#wait()
  }

  #take(): number {
    const number = this.#next
    this.#next += 1
    return number
  }

  async #wait(): Promise<number> {
    while (this.#next >= this.#end) {
      const nextBlock = this.#requestBlock()
      const start = await nextBlock
      // Several callers may be waiting for the same block. The first one to resume starts using it.
      if (this.#nextBlock !== nextBlock) continue
      this.#nextBlock = undefined
      this.#next = start
      this.#end = start + this.#size
    }
    return this.#take()
  }

  #requestBlock(): Promise<number> {
    if (this.#nextBlock !== undefined) return this.#nextBlock
    const nextBlock = this.#fetch()
    this.#nextBlock = nextBlock
    nextBlock.catch(() => {
      this.#nextBlock = undefined
    })
    return nextBlock
  }

  async #fetch(): Promise<number> {
    const [row] = await this.#database.queryOnce<{ block: number }>(
      sql`SELECT nextval(CAST(${this.#sequence} AS regclass)) AS block`,
    )
    return (row?.block ?? 0) * this.#size
  }
}
