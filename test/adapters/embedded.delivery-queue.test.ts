import { deliveryQueueContract } from '../contract/delivery-queue.contract.ts'
import { openQueue } from '../support/adapters/open-queue.ts'

deliveryQueueContract('embedded', openQueue)
