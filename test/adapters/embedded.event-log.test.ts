import { eventLogContract } from '../contract/event-log.contract.ts'
import { followContract } from '../contract/event-log-follow.contract.ts'
import { openQueue } from '../support/adapters/open-queue.ts'

eventLogContract('embedded', openQueue)
followContract('embedded', openQueue)
