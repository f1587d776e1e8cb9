import { withPeople } from '../contract/bot-stores.ts'
import { refusedWebhookStoreContract } from '../contract/refused-webhook-store.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) {
  refusedWebhookStoreContract(name, async (t) => {
    const stores = await withPeople(await open(t))
    const greeter = { ownerId: 'ada', name: 'Greeter', chatPlatformId: '123456789012345678' }
    await stores.bots.putBot('greeter' as never, greeter as never, 0)
    return stores.refusedWebhooks
  })
}
