import { auditedWritesContract } from '../contract/audited-writes.contract.ts'
import { identityEngines } from '../support/adapters/identity-engines.ts'

for (const { name, open } of identityEngines) auditedWritesContract(name, open)
