import type { Coworker, CoworkerRole } from '../../../domain/bots/bot.ts'
import type { Accepter, Invitation, InvitationStore, OpenedInvitation } from '../../../domain/bots/invitations.ts'
import type { BotId, UserId } from '../../../domain/ids.ts'
import type { SecretDigest } from '../../../domain/secret.ts'
import { changes, type Database, firstRow, rows, type Work } from '../database.ts'
import { botExists } from '../existence.ts'
import { putCoworker } from './bots.ts'

interface InvitationRow {
  number: number
  botId: string
  label: string
  role: CoworkerRole
  capabilities: string
  expiresAtMs: number
  acceptedBy: string | null
}

type ListedRow = InvitationRow & { name: string; email: string | null; emailVerifiedAtMs: number | null }
type FoundRow = InvitationRow & { botName: string; ownerId: string; ownerName: string }

const columns = 'invitations.number, bot_id, label, role, capabilities, expires_at_ms, accepted_by'
const live = 'FROM invitations JOIN bots ON bots.id = bot_id AND deleted_at_ms IS NULL'

export function sqlInvitations(database: Database): InvitationStore {
  return {
    addInvitation: ({ botId, label, role, capabilities, digest, expiresAtMs }, { atMost, nowMs }, recording) =>
      database.write({ recording }, function* () {
        if (!(yield* botExists(botId))) return 'bot-unknown'
        yield* changes('DELETE FROM invitations WHERE bot_id = ? AND expires_at_ms <= ?', botId, nowMs)
        const counted = yield* firstRow<{ count: number }>(
          'SELECT count(*) AS count FROM invitations WHERE bot_id = ?',
          botId,
        )
        if ((counted?.count ?? 0) >= atMost) return 'too-many'
        yield* changes(
          `INSERT INTO invitations (bot_id, label, role, capabilities, digest, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
          botId,
          label,
          role,
          JSON.stringify(capabilities),
          digest,
          expiresAtMs,
        )
        return 'added'
      }),

    async listInvitations(botId, nowMs) {
      const listed = await database.read(() =>
        rows<ListedRow>(
          `SELECT ${columns}, users.name AS name, users.email AS email, users.email_verified_at_ms AS email_verified_at_ms
             ${live} LEFT JOIN users ON users.id = accepted_by
             WHERE bot_id = ? AND expires_at_ms > ? ORDER BY invitations.number`,
          botId,
          nowMs,
        ),
      )
      return listed.map(asInvitation)
    },

    async findInvitation(digest, nowMs) {
      const row = await database.read(() => find(digest, nowMs))
      return row && asOpened(row)
    },

    acceptInvitation: (digest, userId, { nowMs, expiresAtMs }, recording) =>
      database.write({ recording }, function* () {
        const found = yield* find(digest, nowMs)
        if (found === undefined) return { kind: 'unknown' }
        const botId = found.botId as BotId
        const coworker = yield* firstRow('SELECT 1 FROM coworkers WHERE bot_id = ? AND user_id = ?', botId, userId)
        if (found.ownerId === userId || coworker !== undefined) return { kind: 'works-already' }
        // If two users accept the same invitation at the same time, only the first update matches.
        const accepted = yield* changes(
          'UPDATE invitations SET accepted_by = ?1, expires_at_ms = ?2 WHERE number = ?3 AND accepted_by IS NULL',
          userId,
          expiresAtMs,
          found.number,
        )
        return accepted === 1 ? { kind: 'accepted', botId } : { kind: 'unknown' }
      }),

    declineInvitation: (digest, userId, nowMs, recording) =>
      database.write({ recording }, function* () {
        const found = yield* find(digest, nowMs)
        if (found === undefined) return undefined
        const declined = yield* changes(
          'DELETE FROM invitations WHERE number = ? AND (accepted_by IS NULL OR accepted_by = ?)',
          found.number,
          userId,
        )
        return declined === 1 ? (found.botId as BotId) : undefined
      }),

    revokeInvitation: (botId, number, recording) =>
      database.write({ recording }, function* () {
        return (yield* changes('DELETE FROM invitations WHERE bot_id = ? AND number = ?', botId, number)) === 1
      }),

    confirmInvitation: (botId, number, userId, nowMs, recording) =>
      database.write({ recording }, function* () {
        const found = yield* firstRow<InvitationRow>(
          `SELECT ${columns} ${live} WHERE bot_id = ? AND invitations.number = ? AND accepted_by = ? AND expires_at_ms > ?`,
          botId,
          number,
          userId,
          nowMs,
        )
        if (found === undefined) return { kind: 'unknown' }
        // If the owner revokes the invitation at the same time, only one of the two deletes matches.
        if ((yield* changes('DELETE FROM invitations WHERE number = ?', number)) === 0) return { kind: 'unknown' }
        const coworker: Coworker = { userId, ...invitedIn(found) }
        return { kind: yield* putCoworker(botId, coworker), coworker }
      }),

    deleteExpiredInvitations: (nowMs, atMost) =>
      database.write({}, () =>
        changes(
          'DELETE FROM invitations WHERE number IN (SELECT number FROM invitations WHERE expires_at_ms <= ? LIMIT ?)',
          nowMs,
          atMost,
        ),
      ),
  }
}

function find(digest: SecretDigest, nowMs: number): Work<FoundRow | undefined> {
  return firstRow<FoundRow>(
    `SELECT ${columns}, bots.name AS bot_name, owner_id, owners.name AS owner_name
       ${live} JOIN users AS owners ON owners.id = owner_id WHERE digest = ? AND expires_at_ms > ?`,
    digest,
    nowMs,
  )
}

function invitedIn({ role, capabilities }: InvitationRow): Pick<Coworker, 'role' | 'capabilities'> {
  return { role, capabilities: JSON.parse(capabilities) }
}

function asInvitation(row: ListedRow): Invitation {
  const accepter: Accepter | undefined =
    row.acceptedBy === null
      ? undefined
      : {
          userId: row.acceptedBy as UserId,
          name: row.name,
          email: row.email,
          emailVerified: row.emailVerifiedAtMs !== null,
        }
  const { number, label, expiresAtMs } = row
  return { number, label, expiresAtMs, ...invitedIn(row), accepter }
}

function asOpened(row: FoundRow): OpenedInvitation {
  return {
    botId: row.botId as BotId,
    botName: row.botName,
    ownerName: row.ownerName,
    acceptedBy: row.acceptedBy === null ? undefined : (row.acceptedBy as UserId),
    ...invitedIn(row),
  }
}
