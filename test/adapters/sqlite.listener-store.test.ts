import { sqliteIdentity } from '../../src/store/sqlite/sqlite-identity.ts'
import { listenerStoreContract } from '../contract/listener-store.contract.ts'
import { openIdentityFile, withAdaAndAcme } from './open-identity.ts'

listenerStoreContract('sqlite', async (t) => sqliteIdentity(await withAdaAndAcme(openIdentityFile(t))))
