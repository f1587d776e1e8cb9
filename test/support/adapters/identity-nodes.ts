import type { TestContext } from 'node:test'
import { postgresIdentity } from '../../../src/storage/postgres/postgres-identity.ts'
import { openIdentityDatabase, openIdentityNode } from '../postgres/identity.ts'
import { withAdaAndAcme } from './open-identity.ts'

export async function openIdentityNodes(t: TestContext, count: number) {
  const databases = [await openIdentityDatabase(t)]
  while (databases.length < count) databases.push(await openIdentityNode(t))
  await withAdaAndAcme({ database: databases[0]! })
  return { databases, nodes: databases.map(postgresIdentity) }
}
