import { snapshotStoreContract } from '../contract/snapshot-store.contract.ts'
import { openBotStores } from './open-bot-stores.ts'

snapshotStoreContract('sqlite', openBotStores)
