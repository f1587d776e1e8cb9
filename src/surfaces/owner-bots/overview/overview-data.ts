import { mayDo } from '../../../domain/bots/bot-access.ts'
import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import type { BotState, BotStatus } from '../../../domain/bots/status/bot-status.ts'
import type { DeliveryGlance } from '../../../domain/webhooks/event-access.ts'
import type { HourlyCount } from '../../../domain/webhooks/event-log.ts'
import { chartHours, type DeliveryServices } from '../deliveries/delivery-data.ts'
import type { BotVisit } from '../on-bot.ts'
import { hostingRuntimes, type ShownRuntime } from '../runtimes/hosting-runtimes.ts'

/** Everything that a bot's overview shows. */
export interface OverviewData extends DeliveryGlance {
  status: BotStatus
  state: BotState
  /** Totals of the last 24 hours, as in the chart of deliveries. */
  lately: Pick<HourlyCount, 'accepted' | 'failed' | 'dead'>
  /** The owner's runtimes. `undefined` if the user isn't allowed to see them. */
  runtimes: readonly ShownRuntime[] | undefined
}

/** Reads a bounded number of rows, however many webhooks and runtimes there are. */
export async function loadOverview(services: DeliveryServices, visit: BotVisit): Promise<OverviewData> {
  const { bots, eventAccess } = services
  const { bot, by } = visit
  const [own, counts, glance, runtimes] = await Promise.all([
    bots.ownStatus.find(bot.id),
    eventAccess.counts(by.userId, bot.id, undefined, chartHours),
    eventAccess.glance(by.userId, bot.id),
    mayDo(visit, 'change-runtimes') ? hostingRuntimes(bots, bot) : undefined,
  ])
  if (own === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${bot.id}` })
  const sum = (of: (count: HourlyCount) => number) => counts.reduce((total, count) => total + of(count), 0)
  const lately = {
    accepted: sum(({ accepted }) => accepted),
    failed: sum(({ failed }) => failed),
    dead: sum(({ dead }) => dead),
  }
  return { ...own, ...glance, lately, runtimes }
}
