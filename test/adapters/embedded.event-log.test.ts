import { eventLogContract } from '../contract/event-log.contract.ts'
import { openQueue } from './open-queue.ts'

eventLogContract('embedded', openQueue)
