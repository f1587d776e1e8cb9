import { queueAcceptanceContract } from '../contract/delivery-queue-acceptance.contract.ts'
import { queueClaimsContract } from '../contract/delivery-queue-claims.contract.ts'
import { queueInterventionsContract } from '../contract/delivery-queue-interventions.contract.ts'
import { queueLeasesContract } from '../contract/delivery-queue-leases.contract.ts'
import { queueOrderContract } from '../contract/delivery-queue-order.contract.ts'
import { queueRetentionContract } from '../contract/delivery-queue-retention.contract.ts'
import { openQueue } from '../support/adapters/open-queue.ts'

queueAcceptanceContract('embedded', openQueue)
queueClaimsContract('embedded', openQueue)
queueOrderContract('embedded', openQueue)
queueLeasesContract('embedded', openQueue)
queueRetentionContract('embedded', openQueue)
queueInterventionsContract('embedded', openQueue)
