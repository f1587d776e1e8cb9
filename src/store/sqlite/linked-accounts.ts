import type {
  AccountReference,
  AddUserOutcome,
  LinkedAccount,
  LinkedAccountStore,
  NewLinkedAccount,
  ProviderVisit,
  VisitKey,
} from '../../domain/accounts/linked-account-store.ts'
import { type ProviderKey, providerKeys } from '../../domain/accounts/upstream.ts'
import type { StoredEmail } from '../../domain/accounts/user-store.ts'
import type { UserId } from '../../domain/ids.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface VisitRow {
  provider: ProviderKey
  linking_user_id: UserId | null
  attempt_id: string | null
}

interface AccountRow {
  provider: ProviderKey
  issuer: string
  subject: string
  name: string | null
  linked_at_ms: number | null
}

/** The columns of `users` in which an account of these providers stands. */
const columns = { 'chat-platform': 'chat_platform_id', 'code-hosting': 'code_hosting_id' } as const

const accountsOfUser = `
  SELECT 'chat-platform' AS provider, 'chat-platform' AS issuer, chat_platform_id AS subject, a.name, a.linked_at_ms
  FROM users LEFT JOIN linked_accounts AS a ON issuer = 'chat-platform' AND subject = chat_platform_id AND user_id = id
  WHERE id = ?1 AND chat_platform_id IS NOT NULL
  UNION ALL
  SELECT 'code-hosting', 'code-hosting', code_hosting_id, a.name, a.linked_at_ms
  FROM users LEFT JOIN linked_accounts AS a ON issuer = 'code-hosting' AND subject = code_hosting_id AND user_id = id
  WHERE id = ?1 AND code_hosting_id IS NOT NULL
  UNION ALL
  SELECT 'upstream', issuer, subject, name, linked_at_ms FROM linked_accounts
  WHERE user_id = ?1 AND issuer NOT IN ('chat-platform', 'code-hosting')`

/** Accounts at other providers, and visits to them, in SQLite. */
export class SqliteLinkedAccounts implements LinkedAccountStore {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  addVisit(key: VisitKey, visit: ProviderVisit, expiresAtMs: number): Promise<void> {
    return this.#file.write(() => {
      this.#file
        .statement(
          `INSERT INTO provider_visits (state_digest, browser_digest, provider, linking_user_id, attempt_id, expires_at_ms)
           VALUES (?, ?, ?, ?, ?, ?)`,
        )
        .run(key.stateDigest, key.browserDigest, visit.provider, visit.linkingUserId, visit.attemptId, expiresAtMs)
    })
  }

  takeVisit(key: VisitKey, provider: ProviderKey, nowMs: number): Promise<ProviderVisit | undefined> {
    return this.#file.write(() => {
      const row = this.#file
        .statement(
          `DELETE FROM provider_visits
           WHERE state_digest = ? AND browser_digest = ? AND provider = ? AND expires_at_ms > ?
           RETURNING provider, linking_user_id, attempt_id`,
        )
        .get(key.stateDigest, key.browserDigest, provider, nowMs) as VisitRow | undefined
      if (row === undefined) return undefined
      return { provider: row.provider, linkingUserId: row.linking_user_id, attemptId: row.attempt_id }
    })
  }

  deleteExpiredVisits(nowMs: number, atMost: number): Promise<number> {
    return this.#file.write(() => {
      const { changes } = this.#file
        .statement(
          `DELETE FROM provider_visits WHERE state_digest IN
             (SELECT state_digest FROM provider_visits WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`,
        )
        .run(nowMs, atMost)
      return Number(changes)
    })
  }

  async findOwner(account: AccountReference): Promise<UserId | undefined> {
    return this.#owner(account)
  }

  addUser(
    user: { id: UserId; name: string; email: StoredEmail | null },
    account: NewLinkedAccount,
    nowMs: number,
  ): Promise<AddUserOutcome> {
    return this.#file.write(() => {
      const owner = this.#owner(account)
      if (owner !== undefined) return { kind: 'account-linked', userId: owner }
      const { id, name, email } = user
      if (email !== null && this.#file.statement('SELECT 1 FROM users WHERE email_key = ?').get(email.key)) {
        return { kind: 'email-taken' }
      }
      this.#file
        .statement(
          `INSERT INTO users (id, name, email, email_key, email_verified_at_ms, created_at_ms, updated_at_ms)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(id, name, email?.address ?? null, email?.key ?? null, email === null ? null : nowMs, nowMs, nowMs)
      this.#store(id, account, nowMs)
      return { kind: 'added' }
    })
  }

  link(
    userId: UserId,
    account: NewLinkedAccount,
    nowMs: number,
  ): Promise<'linked' | 'account-taken' | 'another-linked' | 'user-unknown'> {
    return this.#file.write(() => {
      if (!this.#file.statement('SELECT 1 FROM users WHERE id = ?').get(userId)) return 'user-unknown'
      const owner = this.#owner(account)
      if (owner !== undefined && owner !== userId) return 'account-taken'
      const { issuer, subject } = keyOf(account)
      const linked = this.#accounts(userId).find((candidate) => candidate.issuer === issuer)
      if (linked !== undefined && linked.subject !== subject) return 'another-linked'
      this.#store(userId, account, linked?.linkedAtMs ?? nowMs)
      return 'linked'
    })
  }

  unlink(
    userId: UserId,
    provider: ProviderKey,
    inUse: readonly Omit<AccountReference, 'subject'>[],
  ): Promise<'unlinked' | 'not-linked' | 'last-way-to-sign-in'> {
    return this.#file.write(() => {
      const issuers = inUse.map((reference) => keyOf({ ...reference, subject: '' }).issuer)
      const usable = this.#accounts(userId).filter(({ issuer }) => issuers.includes(issuer))
      const account = usable.find((candidate) => candidate.provider === provider)
      if (account === undefined) return 'not-linked'
      if (usable.length === 1 && !this.#signsInHere(userId)) return 'last-way-to-sign-in'
      const column = columnOf(provider)
      if (column !== undefined) this.#file.statement(`UPDATE users SET ${column} = NULL WHERE id = ?`).run(userId)
      this.#file.statement('DELETE FROM linked_accounts WHERE user_id = ? AND issuer = ?').run(userId, account.issuer)
      return 'unlinked'
    })
  }

  async list(userId: UserId): Promise<LinkedAccount[]> {
    return this.#accounts(userId)
  }

  #owner(account: AccountReference): UserId | undefined {
    const column = columnOf(account.provider)
    const row =
      column === undefined
        ? this.#file
            .statement('SELECT user_id AS id FROM linked_accounts WHERE issuer = ? AND subject = ?')
            .get(account.issuer, account.subject)
        : this.#file.statement(`SELECT id FROM users WHERE ${column} = ?`).get(account.subject)
    return (row as { id: UserId } | undefined)?.id
  }

  /** Nobody else has the account, and the user has no other one of its issuer. */
  #store(userId: UserId, account: NewLinkedAccount, linkedAtMs: number): void {
    const { issuer, subject } = keyOf(account)
    const column = columnOf(account.provider)
    if (column !== undefined) {
      this.#file.statement(`UPDATE users SET ${column} = ? WHERE id = ?`).run(subject, userId)
    }
    // What it replaces no longer counts: the account was taken from its user by the operator.
    this.#file
      .statement(
        `INSERT OR REPLACE INTO linked_accounts (issuer, subject, user_id, name, linked_at_ms) VALUES (?, ?, ?, ?, ?)`,
      )
      .run(issuer, subject, userId, account.name, linkedAtMs)
  }

  #accounts(userId: UserId): LinkedAccount[] {
    const rows = this.#file.statement(accountsOfUser).all(userId) as unknown as AccountRow[]
    return rows
      .map(({ linked_at_ms, ...row }) => ({ ...row, linkedAtMs: linked_at_ms }))
      .sort((one, other) => providerKeys.indexOf(one.provider) - providerKeys.indexOf(other.provider))
  }

  #signsInHere(userId: UserId): boolean {
    const row = this.#file
      .statement(
        `SELECT 1 FROM users WHERE id = ?1 AND ((password_hash IS NOT NULL AND email IS NOT NULL)
           OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = ?1))`,
      )
      .get(userId)
    return row !== undefined
  }
}

/** Whether the user has an account at one of these providers, as of this transaction. */
export function hasAccountAt(
  file: SqliteFile,
  userId: UserId,
  providers: readonly Omit<AccountReference, 'subject'>[],
): boolean {
  const issuers = providers.map((provider) => keyOf({ ...provider, subject: '' }).issuer)
  const rows = file.statement(accountsOfUser).all(userId) as unknown as AccountRow[]
  return rows.some(({ issuer }) => issuers.includes(issuer))
}

/** As the account stands in `linked_accounts`. */
function keyOf({ provider, issuer, subject }: AccountReference): { issuer: string; subject: string } {
  return { issuer: provider === 'upstream' ? issuer : provider, subject }
}

function columnOf(provider: ProviderKey): (typeof columns)[keyof typeof columns] | undefined {
  return provider === 'upstream' ? undefined : columns[provider]
}
