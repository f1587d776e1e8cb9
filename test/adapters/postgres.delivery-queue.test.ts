import { deliveryQueueContract } from '../contract/delivery-queue.contract.ts'
import { openPostgresQueue } from './open-postgres-queue.ts'

deliveryQueueContract('postgres', openPostgresQueue)
