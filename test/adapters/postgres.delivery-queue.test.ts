import { deliveryQueueContract } from '../contract/delivery-queue.contract.ts'
import { openPostgresQueue } from '../support/adapters/open-postgres-queue.ts'

deliveryQueueContract('postgres', openPostgresQueue)
