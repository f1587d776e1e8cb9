import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import type { DedupeMark } from '../../domain/webhooks/dedupe-mark.ts'
import type { NewEvent, QueueLimits } from '../../domain/webhooks/delivery-queue.ts'
import { Lane, laneOf } from './lane.ts'
import { type QueuePool, type Statement, statementMs } from './queue-pool.ts'

/** What became of an event on its way into the tables. */
export type Stored = { kind: 'accepted'; number: number } | { kind: 'repeated' } | { kind: 'full' }

export interface Entering {
  event: NewEvent
  /** The number of the bot's event of which it is a replay. */
  replayOf: number | null
  mark: DedupeMark | undefined
}

interface Waiting extends Entering {
  bytes: number
  /** By the monotonic clock. */
  sinceMs: number
  resolve(stored: Stored): void
  reject(error: unknown): void
}

type Outcome = 'accepted' | 'repeated' | 'full' | 'unknown-bot'

/** Batches in flight at once. */
export const lanes = 3

const lookEveryMs = 250

/**
 * Writes new events in batches. A batch is one statement, which judges the allowance of each bot as it is there and then:
 * it holds over all nodes. The rows of `queue_entered` are locked in the order of their bots, so batches never lock crosswise.
 */
export class Acceptance {
  readonly #pool: QueuePool
  readonly #limits: QueueLimits
  readonly #lanes: Lane<Waiting>[]
  readonly #timer: NodeJS.Timeout

  constructor(pool: QueuePool, limits: QueueLimits) {
    this.#pool = pool
    this.#limits = limits
    this.#lanes = Array.from({ length: lanes }, () => new Lane((batch) => this.#write(batch)))
    this.#timer = setInterval(() => this.#giveUpLate(), lookEveryMs)
    this.#timer.unref()
  }

  /**
   * Resolves once the event is durable, or with why it is not.
   *
   * @throws StoreUnavailable when the database can't take it, or did not begin to in time; what it does not take for
   * the event's own sake (as it is).
   */
  store(entering: Entering): Promise<Stored> {
    const { botId, body } = entering.event
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now()
      this.#lanes[laneOf(botId, lanes)]?.add({ ...entering, bytes: body.length, sinceMs, resolve, reject })
    })
  }

  /** Resolves once nothing is on its way. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.idle()))
    clearInterval(this.#timer)
  }

  #giveUpLate(): void {
    const before = performance.now() - statementMs
    const isLate = ({ sinceMs }: Waiting) => sinceMs < before
    for (const lane of this.#lanes) {
      // What is on its way may still be stored; whoever sent it is told that it is not, and sends it again.
      for (const { reject } of [...lane.underWay.filter(isLate), ...lane.withdraw(isLate)]) {
        reject(new StoreUnavailable('the database does not take it in time'))
      }
    }
  }

  async #write(batch: Waiting[]): Promise<void> {
    const { first, repetitions } = byMark(batch)
    const outcomes = await this.#insert(first)
    const again = repetitions.filter(({ of, repetition }) => {
      const known = isKnown(of, outcomes.get(of), repetition)
      if (known) repetition.resolve({ kind: 'repeated' })
      return !known
    })
    if (again.length > 0) await this.#write(again.map(({ repetition }) => repetition))
  }

  async #insert(batch: Waiting[]): Promise<Map<Waiting, Outcome>> {
    const outcomes = new Map<Waiting, Outcome>()
    try {
      const replays = batch.some(({ replayOf }) => replayOf !== null)
      const rows = await this.#pool.rows<{ place: number; number: number; outcome: Outcome }>(
        replays ? insertReplays : insertEvents,
        valuesOf(batch, this.#limits),
      )
      const strangers: Waiting[] = []
      for (const { place, number, outcome } of rows) {
        const each = batch[place - 1] as Waiting
        if (outcome === 'unknown-bot') strangers.push(each)
        else {
          outcomes.set(each, outcome)
          each.resolve(outcome === 'accepted' ? { kind: outcome, number } : { kind: outcome })
        }
      }
      if (strangers.length === 0) return outcomes
      await this.#pool.rows(addBots, [strangers.map(({ event }) => event.botId)])
      return new Map([...outcomes, ...(await this.#insert(strangers))])
    } catch (error) {
      if (error instanceof StoreUnavailable || batch.length === 1) {
        for (const { reject } of batch) reject(error)
        return outcomes
      }
      // One of them is at fault. Each for itself, only that one is refused.
      for (const each of batch) await this.#insert([each])
      return outcomes
    }
  }
}

interface Repetition {
  repetition: Waiting
  /** The first of the batch with its mark. */
  of: Waiting
}

/** Those with a mark that an earlier one of the batch has too: one statement can't store a row twice. */
function byMark(batch: Waiting[]): { first: Waiting[]; repetitions: Repetition[] } {
  if (!batch.some(({ mark }) => mark !== undefined)) return { first: batch, repetitions: [] }
  const marked = new Map<string, Waiting>()
  const first: Waiting[] = []
  const repetitions: Repetition[] = []
  for (const each of batch) {
    const key = each.mark && `${each.event.botId} ${Buffer.from(each.mark.digest).toString('base64')}`
    const of = key === undefined ? undefined : marked.get(key)
    if (of !== undefined) {
      repetitions.push({ repetition: each, of })
      continue
    }
    if (key !== undefined) marked.set(key, each)
    first.push(each)
  }
  return { first, repetitions }
}

/** Whether the fate of the first with that mark tells that this one repeats it. */
function isKnown(first: Waiting, outcome: Outcome | undefined, { event }: Waiting): boolean {
  if (outcome === 'accepted') return event.acceptedAtMs < (first.mark?.untilMs ?? 0)
  return outcome === 'repeated' && event.acceptedAtMs <= first.event.acceptedAtMs
}

function valuesOf(batch: readonly Waiting[], { maxEventsPerBot, maxBytesPerBot }: QueueLimits): unknown[] {
  const events = batch.map(({ event }) => event)
  const offsets: number[] = []
  let bytes = 0
  for (const { body } of events) {
    offsets.push(bytes)
    bytes += body.length
  }
  return [
    events.map(({ botId }) => botId),
    events.map(({ flowId }) => flowId),
    events.map(({ path }) => path),
    events.map(({ acceptedAtMs }) => acceptedAtMs),
    events.map(({ clientIp }) => clientIp),
    events.map(({ headers }) => headers.contentType ?? null),
    events.map(({ headers }) => headers.userAgent ?? null),
    events.map(({ headers }) => headers.forwardedFor ?? null),
    events.map(({ headers }) => headers.requestId ?? null),
    events.map(({ ordered }) => ordered),
    events.map(({ body }) => body.length),
    offsets,
    // All bodies in one piece, which travels as bytes: in an array each would be written out as text.
    events.length === 1 ? events[0]?.body : Buffer.concat(events.map(({ body }) => body)),
    batch.map(({ mark }) => mark?.digest ?? null),
    batch.map(({ mark }) => mark?.untilMs ?? null),
    batch.map(({ replayOf }) => replayOf),
    maxEventsPerBot,
    maxBytesPerBot,
  ]
}

const addBots: Statement = {
  name: 'add-bots',
  text: `INSERT INTO queue_entered (bot_id) SELECT DISTINCT bot_id FROM unnest($1::text[]) AS bot_id ORDER BY bot_id
    ON CONFLICT DO NOTHING`,
}

/**
 * In one statement: locks the bots, gives each event its number and its place in the allowance, marks and stores those
 * that fit, and counts them. A number grows with each event of a bot, also when a clock is set back: 1 more than the last, or
 * what the time of acceptance says. An event behind one that is refused in the same batch has its bytes before it.
 */
const insertText = `
  given AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::text[], $10::boolean[], $11::integer[], $12::integer[], $14::bytea[], $15::bigint[], $16::bigint[])
      WITH ORDINALITY AS given (bot_id, flow_id, path, accepted_at_ms, client_ip, content_type, user_agent, forwarded_for,
        request_id, ordered, body_bytes, body_at, digest, mark_until_ms, replay_of, place)
  ), entered AS MATERIALIZED (
    SELECT bot_id, last_number, events, bytes FROM queue_entered WHERE bot_id = ANY ($1) ORDER BY bot_id FOR UPDATE
  ), placed AS (
    SELECT given.*, last_number, entered.bot_id IS NOT NULL AS known, row_number() OVER turn AS nth,
      entered.events - coalesce(gone.events, 0) + count(*) OVER turn <= $17::bigint
        AND entered.bytes - coalesce(gone.bytes, 0) + sum(body_bytes) OVER turn <= $18::bigint AS fits
    FROM given LEFT JOIN entered USING (bot_id) LEFT JOIN queue_left AS gone USING (bot_id)
    WINDOW turn AS (PARTITION BY bot_id ORDER BY place)
  ), judged AS MATERIALIZED (
    SELECT *, nth + greatest(last_number, max(accepted_at_ms * 2048 - nth) OVER (PARTITION BY bot_id ORDER BY nth)) AS number
    FROM placed
  ), marked AS (
    INSERT INTO queue_marks AS known (bot_id, digest, since_ms, until_ms)
    SELECT bot_id, digest, accepted_at_ms, mark_until_ms FROM judged WHERE fits AND digest IS NOT NULL
    ORDER BY bot_id, digest
    ON CONFLICT (bot_id, digest) DO UPDATE SET since_ms = excluded.since_ms, until_ms = excluded.until_ms
      WHERE known.until_ms <= excluded.since_ms
    RETURNING bot_id, digest
  ), admitted AS MATERIALIZED (
    SELECT *, CASE WHEN NOT known THEN 'unknown-bot' WHEN NOT fits THEN 'full'
      WHEN digest IS NOT NULL AND (bot_id, digest) NOT IN (SELECT bot_id, digest FROM marked) THEN 'repeated'
      ELSE 'accepted' END AS outcome
    FROM judged
  ), stored AS (
    INSERT INTO queue_events (bot_id, number, flow_id, path, ordered, accepted_at_ms, due_at_ms, replay_of, client_ip,
      content_type, user_agent, forwarded_for, request_id, body_bytes, body)
    SELECT bot_id, number, flow_id, path, ordered, accepted_at_ms, accepted_at_ms, replay_of, client_ip,
      content_type, user_agent, forwarded_for, request_id, body_bytes,
      substring($13::bytea FROM body_at + 1 FOR body_bytes)
    FROM admitted WHERE outcome = 'accepted'
    RETURNING bot_id, number, body_bytes, replay_of
  ), counted AS (
    UPDATE queue_entered SET events = queue_entered.events + new.events, bytes = queue_entered.bytes + new.bytes,
      last_number = new.last_number
    FROM (SELECT bot_id, count(*) AS events, sum(body_bytes) AS bytes, max(number) AS last_number
      FROM stored GROUP BY bot_id) AS new
    WHERE queue_entered.bot_id = new.bot_id
  )`

const outcomesText = 'SELECT place, number, outcome FROM admitted ORDER BY place'

const noted = ['events', 'done', 'dead'].map(
  (table) => `noted_${table} AS (
    UPDATE queue_${table} AS original SET replayed_as = stored.number FROM stored
    WHERE original.bot_id = stored.bot_id AND original.number = stored.replay_of)`,
)

const insertEvents: Statement = { name: 'insert-events', text: `WITH ${insertText} ${outcomesText}` }
/** As `insertEvents`, and each original tells of its replay. */
const insertReplays: Statement = {
  name: 'insert-replays',
  text: `WITH ${[insertText, ...noted].join(', ')} ${outcomesText}`,
}
