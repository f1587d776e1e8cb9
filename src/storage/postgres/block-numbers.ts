import { sql } from '../sql/sql.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** Block sizes must never change, or row numbers would be assigned twice. */
export const numberBlocks = {
  session_blocks: { table: 'sessions', size: 50 },
  token_family_blocks: { table: 'token_families', size: 5_000 },
  access_token_blocks: { table: 'access_tokens', size: 5_000 },
} as const
export type BlockSequence = keyof typeof numberBlocks

/**
 * Returns a function that assigns unused numbers from blocks of a shared sequence, so most need no round trip; some may
 * be skipped. It fetches the next block at half a block, and throws StoreUnavailable if it needs one that can't be
 * fetched.
 */
export function blockNumbers(database: PostgresDatabase, sequence: BlockSequence): () => number | Promise<number> {
  const { size } = numberBlocks[sequence]
  let [next, end] = [0, 0]
  let nextBlock: Promise<number> | undefined

  function take(): number {
    next += 1
    return next - 1
  }

  async function wait(): Promise<number> {
    while (next >= end) {
      const block = requestBlock()
      const start = await block
      // Several callers may be waiting for the same block. The first one to resume starts using it.
      if (nextBlock !== block) continue
      nextBlock = undefined
      next = start
      end = start + size
    }
    return take()
  }

  function requestBlock(): Promise<number> {
    if (nextBlock !== undefined) return nextBlock
    const block = readBlock()
    nextBlock = block
    block.catch(() => {
      nextBlock = undefined
    })
    return block
  }

  async function readBlock(): Promise<number> {
    const [row] = await database.queryOnce<{ block: number }>(
      sql`SELECT nextval(CAST(${sequence} AS regclass)) AS block`,
    )
    return (row?.block ?? 0) * size
  }

  return () => {
    if (end - next <= size / 2) requestBlock()
    return next < end ? take() : wait()
  }
}
