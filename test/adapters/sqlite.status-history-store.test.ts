import { statusHistoryStoreContract } from '../contract/status-history-store.contract.ts'
import { openBotStores } from './open-bot-stores.ts'

statusHistoryStoreContract('sqlite', openBotStores)
