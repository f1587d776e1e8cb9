import type { TestContext } from 'node:test'
import type { NewGrant } from '../../../src/domain/authorization/grant-store.ts'
import type { ApplicationId, UserId } from '../../../src/domain/ids.ts'
import { Secrets } from '../../../src/domain/secret.ts'
import { postgresIdentity } from '../../../src/storage/postgres/postgres-identity.ts'
import type { IdentityStores } from '../../../src/storage/sql/identity-stores.ts'
import { openIdentityDatabase, openIdentityNode } from '../postgres/identity.ts'
import { withAdaAndAcme } from './open-identity.ts'

export const secrets = new Secrets('test-secret-key-test-secret-key-0001')
export const nowMs = 1_800_000_000_000
export const [ada, acme] = ['ada' as UserId, 'acme' as ApplicationId]

export async function openIdentityNodes(t: TestContext, count: number) {
  const databases = [await openIdentityDatabase(t)]
  while (databases.length < count) databases.push(await openIdentityNode(t))
  await withAdaAndAcme({ database: databases[0]! })
  return { databases, nodes: databases.map(postgresIdentity) }
}

export async function aGrant(grants: IdentityStores['grants'], scopes: readonly string[]): Promise<NewGrant> {
  return {
    number: await grants.allotNumber('family'),
    applicationId: acme,
    userId: ada,
    accountSession: 1,
    scopes,
    redirectUri: 'https://client.example/callback',
    codeChallenge: null,
    codeDigest: secrets.digest('code'),
    codeExpiresAtMs: nowMs + 300_000,
    consent: 'given',
  }
}
