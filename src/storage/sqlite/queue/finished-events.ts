import type { BotId, FlowId } from '../../../domain/ids.ts'
import type { EventRange } from '../../queue/stored-events.ts'
import { raw, sql } from '../../sql/sql.ts'
import type { SqliteFile } from '../sqlite-file.ts'

export type FinishedState = 'done' | 'dead'

export interface FinishedRange extends EventRange {
  state: FinishedState
  /** `undefined` means every flow. */
  flowId: FlowId | undefined
}

export type FinishedEvents = ReturnType<typeof finishedEvents>

/**
 * Finds a bot's finished events by number. The index orders each flow's events by number, so any filter needs one
 * look-up per flow and reads only matching rows.
 */
export function finishedEvents(file: SqliteFile) {
  return {
    newest(botId: BotId, range: FinishedRange, most: number): number[] {
      return numbers(botId, range, most, 'DESC')
        .sort((one, other) => other - one)
        .slice(0, most)
    },

    oldest(botId: BotId, range: FinishedRange, most: number): number[] {
      return numbers(botId, range, most, 'ASC')
        .sort((one, other) => one - other)
        .slice(0, most)
    },

    /** Counts up to `most` events. */
    count(botId: BotId, { state, flowId, from, below }: FinishedRange, most: number): number {
      let events = 0
      for (const flow of flowsOf(botId, state, flowId)) {
        const counted = file.first<{ events: number }>(
          sql`SELECT count(*) AS events FROM (SELECT 1 FROM events WHERE bot_id = ${botId} AND state = ${state}
            AND flow_id = ${flow} AND finished_at_ms IS NOT NULL AND number >= ${from} AND number < ${below}
            LIMIT ${most - events})`,
        )
        events += counted?.events ?? 0
      }
      return events
    },
  }

  function numbers(
    botId: BotId,
    { state, flowId, from, below }: FinishedRange,
    most: number,
    order: 'ASC' | 'DESC',
  ): number[] {
    return flowsOf(botId, state, flowId).flatMap((flow) => {
      const found = file.all<{ number: number }>(
        sql`SELECT number FROM events WHERE bot_id = ${botId} AND state = ${state} AND flow_id = ${flow}
          AND finished_at_ms IS NOT NULL AND number >= ${from} AND number < ${below}
          ORDER BY number ${raw(order)} LIMIT ${most}`,
      )
      return found.map(({ number }) => number)
    })
  }

  /** Returns the one flow, or those that have finished events in this state: one index look-up for each. */
  function flowsOf(botId: BotId, state: FinishedState, flowId: FlowId | undefined): FlowId[] {
    if (flowId !== undefined) return [flowId]
    const flows: FlowId[] = []
    for (let last = ''; ; last = flows.at(-1) as FlowId) {
      const row = file.first<{ flowId: FlowId }>(
        sql`SELECT flow_id FROM events WHERE bot_id = ${botId} AND state = ${state} AND flow_id > ${last}
          AND finished_at_ms IS NOT NULL ORDER BY flow_id LIMIT 1`,
      )
      if (row === undefined) return flows
      flows.push(row.flowId)
    }
  }
}
