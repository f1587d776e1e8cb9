import { runtimeStoreContract } from '../contract/runtime-store.contract.ts'
import { openBotStores } from './open-bot-stores.ts'

runtimeStoreContract('sqlite', openBotStores)
