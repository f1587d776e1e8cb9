import type { ShownEvent } from '../../../domain/audit/audit.ts'
import type { BotId, UserId } from '../../../domain/ids.ts'
import type { People, PersonalRecord, PersonalRecords } from '../../../domain/people/people.ts'
import type { EventSummary } from '../../../domain/webhooks/event-log.ts'
import { stateNames } from '../../../rest/delivery-record.ts'
import { iso } from '../../../rest/instant.ts'

/** Yields the export as JSON text, piece by piece, so that memory stays bounded however long it is. */
export async function* exportDocument(
  people: People,
  userId: UserId,
  { records, nowMs }: { records: PersonalRecords; nowMs: number },
): AsyncGenerator<string> {
  const { user, ...lists } = records
  const [account] = user
  const short = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.map(inIsoTimes)]))
  const head = { exportedAt: iso(nowMs), user: inIsoTimes(account ?? {}), ...short }
  yield JSON.stringify(head).slice(0, -'}'.length)
  const botIds = records.bots.map(({ id }) => id as BotId)
  yield* member('activity', people.activity(userId), activityOf)
  yield* member(
    'logs',
    ofEach(botIds, (botId) => people.logs(botId)),
    (entry) => ({ ...entry, number: undefined }),
  )
  yield* member(
    'deliveries',
    ofEach(botIds, async function* (botId) {
      for await (const events of people.deliveries(botId)) yield events.map((event) => deliveryOf(botId, event))
    }),
    (delivery) => delivery,
  )
  yield '}'
}

/** Yields one more member of the document, whose value is a list. */
async function* member<Item>(
  name: string,
  batches: AsyncIterable<readonly Item[]>,
  recordOf: (item: Item) => PersonalRecord,
): AsyncGenerator<string> {
  yield `,"${name}":[`
  let separator = ''
  for await (const items of batches) {
    if (items.length === 0) continue
    yield separator + items.map((item) => JSON.stringify(inIsoTimes(recordOf(item)))).join(',')
    separator = ','
  }
  yield ']'
}

async function* ofEach<Batch>(botIds: readonly BotId[], read: (botId: BotId) => AsyncIterable<Batch>) {
  for (const botId of botIds) yield* read(botId)
}

/** Replaces times in milliseconds, such as `createdAtMs`, with ISO times, such as `createdAt`. */
function inIsoTimes(record: PersonalRecord): PersonalRecord {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      if (!/(?:^at|At|Until)Ms$/.test(name)) return [name, value]
      return [name.slice(0, -'Ms'.length), typeof value === 'number' ? iso(value) : null]
    }),
  )
}

function activityOf({ atMs, kind, actor, applicationId, botId, address, userAgent, detail }: ShownEvent) {
  return { atMs, kind, actor, applicationId, botId, address, userAgent, detail }
}

function deliveryOf(
  botId: BotId,
  { id, flowId, state, attempts, bodyBytes, acceptedAtMs, finishedAtMs }: EventSummary,
) {
  return { botId, id, flowId, state: stateNames[state], attempts, bodyBytes, acceptedAtMs, finishedAtMs }
}
