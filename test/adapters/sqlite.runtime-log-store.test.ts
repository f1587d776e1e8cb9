import { runtimeLogStoreContract } from '../contract/runtime-log-store.contract.ts'
import { openBotStores } from './open-bot-stores.ts'

runtimeLogStoreContract('sqlite', openBotStores)
