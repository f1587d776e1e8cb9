import { statusNoticeStoreContract } from '../contract/status-notice-store.contract.ts'
import { openBotStores } from './open-bot-stores.ts'

statusNoticeStoreContract('sqlite', openBotStores)
