import { yieldToOthers } from '../background-work.ts'
import type { BotId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import { hasCause } from './dead-letter-causes.ts'
import type { EventFilter, EventLog, EventPage, EventSummary } from './event-log.ts'

/** All events, or only dead letters with the cause of this name. */
export type CauseFilter = EventFilter & { cause?: string | undefined }

/** With a cause, examines at most `eventsCountedMax` dead letters per call. */
export async function listByCause(
  log: Pick<EventLog, 'page'>,
  botId: BotId,
  { cause, ...filter }: CauseFilter,
  { before, most }: { before?: string | undefined; most: number },
): Promise<EventPage> {
  if (cause === undefined) return log.page(botId, filter, { before, most })
  const events: EventSummary[] = []
  let next = before
  for (let examined = 0; examined < limits.eventsCountedMax; examined += limits.eventsPerPageMax) {
    const page = await log.page(botId, { ...filter, state: 'dead' }, { before: next, most: limits.eventsPerPageMax })
    for (const event of page.events) {
      if (!hasCause(event, cause)) continue
      if (events.length === most) return { events, next: events.at(-1)?.id }
      events.push(event)
    }
    next = page.next
    if (next === undefined) break
    await yieldToOthers()
  }
  return { events, next }
}
