import { profileStoreContract } from '../contract/profile-store.contract.ts'
import { openBotStores } from './open-bot-stores.ts'

profileStoreContract('sqlite', openBotStores)
