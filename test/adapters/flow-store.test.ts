import { flowStoreContract } from '../contract/flow-store.contract.ts'
import { openBotStores } from './open-bot-stores.ts'

flowStoreContract('sqlite', openBotStores)
