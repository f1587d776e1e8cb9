import type { BotId, FlowId } from '../../../domain/ids.ts'
import type { EventRange } from '../../queue/event-number.ts'
import type { SqliteFile } from '../sqlite-file.ts'

export type FinishedState = 'done' | 'dead'

export interface FinishedRange extends EventRange {
  state: FinishedState
  /** `undefined` means every flow. */
  flowId: FlowId | undefined
}

/**
 * Finds a bot's finished events by number. The index orders each flow's events by number, so any filter needs one
 * look-up per flow and reads only matching rows.
 */
export class FinishedEvents {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  newest(botId: BotId, range: FinishedRange, most: number): number[] {
    return this.#numbers(botId, range, most, 'DESC')
      .sort((one, other) => other - one)
      .slice(0, most)
  }

  oldest(botId: BotId, range: FinishedRange, most: number): number[] {
    return this.#numbers(botId, range, most, 'ASC')
      .sort((one, other) => one - other)
      .slice(0, most)
  }

  /** Counts up to `most` events. */
  count(botId: BotId, { state, flowId, from, below }: FinishedRange, most: number): number {
    const count = this.#file.statement(
      `SELECT count(*) AS events FROM (SELECT 1 FROM events WHERE bot_id = ? AND state = ? AND flow_id = ?
         AND finished_at_ms IS NOT NULL AND number >= ? AND number < ? LIMIT ?)`,
    )
    let events = 0
    for (const flow of flowId === undefined ? this.#flows(botId, state) : [flowId]) {
      events += (count.get(botId, state, flow, from, below, most - events) as { events: number }).events
    }
    return events
  }

  #numbers(botId: BotId, { state, flowId, from, below }: FinishedRange, most: number, order: 'ASC' | 'DESC'): number[] {
    const select = this.#file.statement(
      `SELECT number FROM events WHERE bot_id = ? AND state = ? AND flow_id = ? AND finished_at_ms IS NOT NULL
         AND number >= ? AND number < ? ORDER BY number ${order} LIMIT ?`,
    )
    const flows = flowId === undefined ? this.#flows(botId, state) : [flowId]
    return flows.flatMap((flow) => {
      const rows: unknown[] = select.all(botId, state, flow, from, below, most)
      return (rows as { number: number }[]).map(({ number }) => number)
    })
  }

  /** Returns the flows that have finished events in this state. Finding each flow takes one index look-up. */
  #flows(botId: BotId, state: FinishedState): FlowId[] {
    const next = this.#file.statement(
      `SELECT flow_id FROM events WHERE bot_id = ? AND state = ? AND flow_id > ? AND finished_at_ms IS NOT NULL
       ORDER BY flow_id LIMIT 1`,
    )
    const flows: FlowId[] = []
    for (let last = ''; ; last = flows.at(-1) as FlowId) {
      const row = next.get(botId, state, last) as { flowId: FlowId } | undefined
      if (row === undefined) return flows
      flows.push(row.flowId)
    }
  }
}
