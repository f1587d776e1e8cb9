import { eventLogContract } from '../contract/event-log.contract.ts'
import { openPostgresQueue } from './open-postgres-queue.ts'

eventLogContract('postgres', openPostgresQueue)
