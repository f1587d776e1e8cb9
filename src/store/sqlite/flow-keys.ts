import type { FlowKey, StoredKey } from '../../domain/bots/flow.ts'
import type { BotId, FlowId } from '../../domain/ids.ts'
import { sameDigest } from '../../domain/secret.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** The statements on the table of flows' keys. Whatever writes runs inside `SqliteFile.write`. */
export class FlowKeyRows {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  /** The flow's keys, the current one first. */
  list(botId: BotId, flowId: FlowId): FlowKey[] {
    const rows: unknown[] = this.#file
      .statement(
        `SELECT number, last_four AS lastFour, made_at_ms AS madeAtMs, last_used_at_ms AS lastUsedAtMs,
           ends_at_ms AS endsAtMs FROM flow_keys WHERE bot_id = ? AND flow_id = ? ORDER BY number DESC`,
      )
      .all(botId, flowId)
    return (rows as FlowKey[]).map((row) => ({ ...row }))
  }

  add(botId: BotId, flowId: FlowId, { digest, lastFour }: StoredKey, nowMs: number): void {
    this.#file
      .statement('INSERT INTO flow_keys (bot_id, flow_id, digest, last_four, made_at_ms) VALUES (?, ?, ?, ?, ?)')
      .run(botId, flowId, digest, lastFour, nowMs)
  }

  /** The current key works on until `endsAtMs`; one that was ending already is gone. */
  supersede(botId: BotId, flowId: FlowId, endsAtMs: number, nowMs: number): void {
    this.#file
      .statement('DELETE FROM flow_keys WHERE bot_id = ?1 AND flow_id = ?2 AND (ends_at_ms IS NOT NULL OR ?3 <= ?4)')
      .run(botId, flowId, endsAtMs, nowMs)
    this.#file
      .statement('UPDATE flow_keys SET ends_at_ms = ? WHERE bot_id = ? AND flow_id = ?')
      .run(endsAtMs, botId, flowId)
  }

  hasCurrent(botId: BotId, flowId: FlowId): boolean {
    return this.#current(botId, flowId) !== undefined
  }

  isCurrent(botId: BotId, flowId: FlowId, { digest }: StoredKey): boolean {
    const current = this.#current(botId, flowId)
    return current !== undefined && sameDigest(current.digest, digest)
  }

  remove(number: number): void {
    this.#file.statement('DELETE FROM flow_keys WHERE number = ?').run(number)
  }

  removeAll(botId: BotId, flowId: FlowId): void {
    this.#file.statement('DELETE FROM flow_keys WHERE bot_id = ? AND flow_id = ?').run(botId, flowId)
  }

  #current(botId: BotId, flowId: FlowId): { digest: Uint8Array } | undefined {
    return this.#file
      .statement('SELECT digest FROM flow_keys WHERE bot_id = ? AND flow_id = ? AND ends_at_ms IS NULL')
      .get(botId, flowId) as { digest: Uint8Array } | undefined
  }
}
