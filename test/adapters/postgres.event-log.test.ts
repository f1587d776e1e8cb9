import { eventLogContract } from '../contract/event-log.contract.ts'
import { followContract } from '../contract/event-log-follow.contract.ts'
import { openPostgresQueue } from '../support/adapters/open-postgres-queue.ts'

eventLogContract('postgres', openPostgresQueue)
followContract('postgres', openPostgresQueue)
