import type {
  LinkPurpose,
  LinkUse,
  LiveLink,
  NewLink,
  OneTimeLinkStore,
} from '../../domain/accounts/one-time-link-store.ts'
import type { UserId } from '../../domain/ids.ts'
import type { SecretDigest } from '../../domain/secret.ts'
import { queueMail } from './outgoing-mail.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface LinkRow {
  user_id: string
  email_key: string | null
  name: string
  /** The user's addresses, as they are now. */
  email: string | null
  current_key: string | null
  pending_email: string | null
  pending_key: string | null
}

type FoundLink = LinkRow & { address: string | null }

/** One-time links in SQLite. */
export class SqliteOneTimeLinks implements OneTimeLinkStore {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  putLink({ userId, purpose, digest, emailKey, expiresAtMs }: NewLink): Promise<'stored' | 'user-unknown'> {
    return this.#file.write(() => {
      if (this.#file.statement('SELECT 1 FROM users WHERE id = ?').get(userId) === undefined) return 'user-unknown'
      this.#file
        .statement(
          `INSERT INTO one_time_links (user_id, purpose, digest, email_key, expires_at_ms) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (user_id, purpose) DO UPDATE
           SET digest = excluded.digest, email_key = excluded.email_key, expires_at_ms = excluded.expires_at_ms`,
        )
        .run(userId, purpose, digest, emailKey, expiresAtMs)
      return 'stored'
    })
  }

  async findLink(digest: SecretDigest, purpose: LinkPurpose, nowMs: number): Promise<LiveLink | undefined> {
    const link = this.#live(digest, purpose, nowMs)
    return link && { userId: link.user_id as UserId, userName: link.name, email: link.address }
  }

  resetPassword(digest: SecretDigest, passwordHash: string, nowMs: number): Promise<LinkUse> {
    return this.#use(digest, 'reset-password', nowMs, (link) => {
      this.#file
        .statement('UPDATE users SET password_hash = ?, updated_at_ms = ? WHERE id = ?')
        .run(passwordHash, nowMs, link.user_id)
      if (link.email_key !== null) this.#verify(link.user_id, nowMs)
      this.#file.statement('DELETE FROM sessions WHERE user_id = ?').run(link.user_id)
      return used(link)
    })
  }

  setPin(digest: SecretDigest, pinHash: string, nowMs: number): Promise<LinkUse> {
    return this.#use(digest, 'set-pin', nowMs, (link) => {
      this.#file
        .statement(
          'UPDATE users SET pin_hash = ?, pin_failures = 0, pin_locked_until_ms = NULL, updated_at_ms = ? WHERE id = ?',
        )
        .run(pinHash, nowMs, link.user_id)
      this.#file.statement('UPDATE sessions SET pin_unlocked_until_ms = NULL WHERE user_id = ?').run(link.user_id)
      return used(link)
    })
  }

  verifyEmail(digest: SecretDigest, nowMs: number): Promise<LinkUse | { kind: 'email-taken' }> {
    return this.#use<LinkUse | { kind: 'email-taken' }>(digest, 'verify-email', nowMs, (link) => {
      if (link.email_key !== link.current_key) {
        const taken = this.#file
          .statement('SELECT 1 FROM users WHERE email_key = ? AND id <> ?')
          .get(link.email_key, link.user_id)
        if (taken !== undefined) return { kind: 'email-taken' }
        this.#file
          .statement(
            `UPDATE users SET email = pending_email, email_key = pending_email_key, pending_email = NULL,
               pending_email_key = NULL, updated_at_ms = ? WHERE id = ?`,
          )
          .run(nowMs, link.user_id)
        if (link.email !== null) {
          const mail = { kind: 'email-changed', userId: link.user_id as UserId, address: link.email } as const
          queueMail(this.#file, mail, nowMs)
        }
      }
      this.#verify(link.user_id, nowMs)
      return used(link)
    })
  }

  deleteExpiredLinks(nowMs: number, atMost: number): Promise<number> {
    return this.#file.write(() => {
      const { changes } = this.#file
        .statement(
          `DELETE FROM one_time_links WHERE digest IN
             (SELECT digest FROM one_time_links WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`,
        )
        .run(nowMs, atMost)
      return Number(changes)
    })
  }

  /** Does what the link is for and deletes it, in one transaction. */
  #use<Outcome>(
    digest: SecretDigest,
    purpose: LinkPurpose,
    nowMs: number,
    act: (link: FoundLink) => Outcome,
  ): Promise<Outcome | { kind: 'link-invalid' }> {
    return this.#file.write(() => {
      const link = this.#live(digest, purpose, nowMs)
      if (link === undefined) return { kind: 'link-invalid' }
      this.#file.statement('DELETE FROM one_time_links WHERE digest = ?').run(digest)
      return act(link)
    })
  }

  #live(digest: SecretDigest, purpose: LinkPurpose, nowMs: number): FoundLink | undefined {
    const row = this.#file
      .statement(
        `SELECT user_id, one_time_links.email_key, name, email, users.email_key AS current_key, pending_email,
                pending_email_key AS pending_key
         FROM one_time_links JOIN users ON users.id = user_id WHERE digest = ? AND purpose = ? AND expires_at_ms > ?`,
      )
      .get(digest, purpose, nowMs) as LinkRow | undefined
    if (row === undefined) return undefined
    if (row.email_key === null) return { ...row, address: null }
    if (row.email_key === row.current_key) return { ...row, address: row.email }
    // Only the address that asks to be taken may be one that is not the user's yet.
    return purpose === 'verify-email' && row.email_key === row.pending_key
      ? { ...row, address: row.pending_email }
      : undefined
  }

  #verify(userId: string, nowMs: number): void {
    this.#file
      .statement('UPDATE users SET email_verified_at_ms = coalesce(email_verified_at_ms, ?) WHERE id = ?')
      .run(nowMs, userId)
  }
}

function used(link: FoundLink): LinkUse {
  return { kind: 'used', userId: link.user_id as UserId, emailKey: link.email_key }
}
