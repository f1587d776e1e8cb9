import type { OnFault } from '../../../domain/background-work.ts'
import type { BotId } from '../../../domain/ids.ts'
import type { QueueLimits, RetentionLimits } from '../../../domain/limits/budget.ts'
import type { DeadLetter, StrictFlow } from '../../../domain/webhooks/delivery-queue.ts'
import { HourlyCounts } from '../../queue/hourly-counts.ts'
import { Listeners } from '../../queue/listeners.ts'
import { newCountedFigures } from '../../queue/queue-figures.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import { Backlog } from './backlog.ts'
import { eventRows, finishedEvents } from './event-rows.ts'
import { Leases, Transitions } from './leases.ts'
import { newMarks } from './marks.ts'
import { storedCounts } from './stored-counts.ts'

export interface EmbeddedQueueOptions {
  /**
   * The queue's own file, separate from the identity database, so that webhooks and tokens don't wait for each other's
   * commits.
   */
  file: SqliteFile
  limits: QueueLimits
  kept?: RetentionLimits | undefined
  /** Current time, from which leases found in the file at startup get their full duration. */
  nowMs: number
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for retry jitter. */
  chance: () => number
  /** Returns the bot's flows that have strict order now. */
  strictFlows: (botId: BotId) => readonly StrictFlow[]
  /** Called with errors from steps that failed without stopping the others. Failed steps are retried. */
  onFault?: OnFault | undefined
}

/** Dependencies that the parts of the queue share. */
export type QueueParts = ReturnType<typeof createParts>

export function createParts({ file, limits, chance, strictFlows, onFault = () => {} }: EmbeddedQueueOptions) {
  const due = new Listeners<BotId>()
  return {
    file,
    chance,
    strictFlows,
    onFault,
    due,
    dead: new Listeners<DeadLetter>(),
    rows: eventRows(file),
    finished: finishedEvents(file),
    marks: newMarks(file),
    backlog: new Backlog(limits, due.call),
    leases: new Leases(),
    transitions: new Transitions(),
    counts: new HourlyCounts(storedCounts(file)),
    figures: newCountedFigures(),
  }
}
