import { deliveryQueueContract } from '../contract/delivery-queue.contract.ts'
import { openQueue } from './open-queue.ts'

deliveryQueueContract('embedded', openQueue)
