import { queueAcceptanceContract } from '../contract/delivery-queue-acceptance.contract.ts'
import { queueClaimsContract } from '../contract/delivery-queue-claims.contract.ts'
import { queueInterventionsContract } from '../contract/delivery-queue-interventions.contract.ts'
import { queueLeasesContract } from '../contract/delivery-queue-leases.contract.ts'
import { queueOrderContract } from '../contract/delivery-queue-order.contract.ts'
import { queueRetentionContract } from '../contract/delivery-queue-retention.contract.ts'
import { openPostgresQueue } from '../support/adapters/open-postgres-queue.ts'

queueAcceptanceContract('postgres', openPostgresQueue)
queueClaimsContract('postgres', openPostgresQueue)
queueOrderContract('postgres', openPostgresQueue)
queueLeasesContract('postgres', openPostgresQueue)
queueRetentionContract('postgres', openPostgresQueue)
queueInterventionsContract('postgres', openPostgresQueue)
