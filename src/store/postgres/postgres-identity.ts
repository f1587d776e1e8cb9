import type { IdentityStores } from '../identity-stores.ts'
import { SqlLinkedAccounts } from '../linked-accounts.ts'
import { SqlOneTimeLinks } from '../one-time-links.ts'
import { sqlOutgoingMail } from '../outgoing-mail.ts'
import { SqlPasskeys } from '../passkeys.ts'
import { SqlSessions } from '../sessions.ts'
import { SqlUsers } from '../users.ts'
import { BlockNumbers } from './block-numbers.ts'
import { postgresGrants } from './grants.ts'
import type { PostgresDatabase } from './postgres-database.ts'

const sessionsPerBlock = 50

/** The stores on a PostgreSQL database whose schema is `migrations/`. */
export function postgresIdentity(database: PostgresDatabase) {
  return {
    users: new SqlUsers(database),
    sessions: new SqlSessions(database, new BlockNumbers(database, 'session_blocks', sessionsPerBlock)),
    links: new SqlOneTimeLinks(database),
    mail: sqlOutgoingMail(database),
    passkeys: new SqlPasskeys(database),
    linkedAccounts: new SqlLinkedAccounts(database),
    grants: postgresGrants(database),
  } satisfies Partial<IdentityStores>
}
