import { SqliteBots } from '../../src/store/sqlite/bots.ts'
import { SqliteFlows } from '../../src/store/sqlite/flows.ts'
import { sqliteListeners } from '../../src/store/sqlite/listeners.ts'
import { listenerStoreContract } from '../contract/listener-store.contract.ts'
import { openIdentityFile, withAdaAndAcme } from './open-identity.ts'

listenerStoreContract('sqlite', async (t) => {
  const file = await withAdaAndAcme(openIdentityFile(t))
  return { listeners: sqliteListeners(file), bots: new SqliteBots(file), flows: new SqliteFlows(file) }
})
