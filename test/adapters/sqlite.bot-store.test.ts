import { botStoreContract } from '../contract/bot-store.contract.ts'
import { openBotStores } from './open-bot-stores.ts'

botStoreContract('sqlite', openBotStores)
