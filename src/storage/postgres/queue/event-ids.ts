import type { BotId } from '../../../domain/ids-and-secrets.ts'
import { idOf, idWithBot, numberOf } from '../../queue/stored-events.ts'
import type { Queries } from '../postgres-pool.ts'

export interface EventName {
  botId: BotId
  number: number
}

/** Identifies one attempt. Includes the bot ID, so that a reported event's row can be found by primary key. */
export interface AttemptName extends EventName {
  /** 1-based position among the event's leases, including released ones. */
  lease: number
}

export function deliveryOf({ botId, number, lease }: AttemptName): string {
  return `${idOf(number)}-${lease}-${botId}`
}

/** Returns the attempts with these delivery IDs. Skips malformed IDs. */
export function attemptsNamed(deliveries: Iterable<string>): AttemptName[] {
  return [...deliveries].flatMap((delivery) => {
    const [, id = '', lease, botId] = /^([^-]+)-([0-9]{1,9})-([A-Za-z0-9_:-]{1,80})$/.exec(delivery) ?? []
    const number = numberOf(id)
    return number === undefined ? [] : [{ botId: botId as BotId, number, lease: Number(lease) }]
  })
}

/**
 * Converts between event numbers and event IDs on PostgreSQL. Numbers are unique per bot, so an event ID includes the
 * bot ID. Events keep the IDs that they had before: those copied by `gatehouse migrate`, whose numbers are unique across
 * all bots, and those stored by releases whose IDs had no bot.
 */
export class EventIds {
  /** Events with numbers below this have IDs without the bot ID. New events always get higher numbers. */
  withoutBotBelow = 0

  /** Reads from the database which events have IDs without the bot ID. Must be called before `of`. */
  async read(on: Queries): Promise<void> {
    const [row] = await on.rows<{ below: number }>('SELECT numbers_below AS below FROM queue_copied')
    this.withoutBotBelow = row?.below ?? 0
  }

  of(botId: BotId, number: number): string {
    return number < this.withoutBotBelow ? idOf(number) : idWithBot(botId, number)
  }

  /** Returns `undefined` for a malformed ID or another bot's. Accepts IDs of earlier releases, without a bot ID. */
  numberOf(botId: BotId, id: string): number | undefined {
    const suffix = `-${botId}`
    return numberOf(id.endsWith(suffix) ? id.slice(0, -suffix.length) : id)
  }
}
