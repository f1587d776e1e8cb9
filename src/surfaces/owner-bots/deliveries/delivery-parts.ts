import type { Html } from '../../../pages/html.ts'
import type { BotPageView } from '../bot-frame.ts'
import { timeline } from './attempt-timeline.ts'
import { actionsOf } from './delivery-actions.ts'
import type { DeliveryData } from './delivery-data.ts'

/** Returns the parts of a webhook's page that are updated live. */
export function deliveryParts(view: BotPageView & DeliveryData): Record<'actions' | 'timeline', Html> {
  return { actions: actionsOf(view), timeline: timeline(view) }
}
