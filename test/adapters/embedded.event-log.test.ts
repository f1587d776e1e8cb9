import { eventLogContract } from '../contract/event-log.contract.ts'
import { openQueue } from '../support/adapters/open-queue.ts'

eventLogContract('embedded', openQueue)
