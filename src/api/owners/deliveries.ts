import { done } from '../engine/api.ts'
import { deliveryRoutes } from '../resources/deliveries.ts'
import { type OwnerServices, withScope } from './api.ts'

const api = withScope('deliveries.read', 'deliveries.write')

export function ownerDeliveryRoutes({ eventAccess }: OwnerServices) {
  const calls = deliveryRoutes(api, eventAccess, {
    actor: async ({ by }) => by,
    page: ({ by }, ...rest) => eventAccess.page(by.userId, ...rest),
    whole: ({ by }, ...rest) => eventAccess.whole(by.userId, ...rest),
  })
  const retry = api.post(
    '/bots/{botId}/deliveries/{eventId}/retry',
    'Skip the delay of a waiting event',
    {
      description:
        'A runtime with free capacity receives the event at once. Has no effect while a runtime is processing it.',
      204: 'The event is due now.',
    },
    ({ caller, botId, eventId }) => done(eventAccess.tryNow(caller.by, botId, eventId)),
  )
  return [...calls, retry]
}
