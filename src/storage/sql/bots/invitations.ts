import type { Accepter, Invitation, InvitationStore } from '../../../domain/bots/invitations.ts'
import type { BotId, SecretDigest, UserId } from '../../../domain/ids-and-secrets.ts'
import { isPut } from '../../../domain/put-outcome.ts'
import { botExists, Rows } from '../rows.ts'
import { count, type Database, insertInto, sql, type Work } from '../sql.ts'
import { putCollaborator } from './bots.ts'

type InvitationRow = Pick<Invitation, 'number' | 'label' | 'expiresAtMs' | 'role' | 'capabilities'> & {
  botId: BotId
  acceptedBy: UserId | null
}
type ListedRow = InvitationRow & Omit<Accepter, 'userId'>
type FoundRow = InvitationRow & { botName: string; ownerId: UserId; ownerName: string }

const from = 'invitations JOIN bots ON bots.id = bot_id AND deleted_at_ms IS NULL'
const columns = 'invitations.number, bot_id, label, role, capabilities, expires_at_ms, accepted_by'
const invitations = new Rows<InvitationRow>(from, columns, { capabilities: 'json' })
const listed = new Rows<ListedRow>(
  `${from} LEFT JOIN users ON users.id = accepted_by`,
  `${columns}, users.name, users.email, users.email_verified_at_ms IS NOT NULL AS email_verified`,
  { capabilities: 'json', emailVerified: 'flag' },
)
const opened = new Rows<FoundRow>(
  `${from} JOIN users AS owners ON owners.id = owner_id`,
  `${columns}, bots.name AS bot_name, owner_id, owners.name AS owner_name`,
  { capabilities: 'json' },
)

export function sqlInvitations(database: Database): InvitationStore {
  return {
    addInvitation: (invitation, { atMost, nowMs }, recording) =>
      database.write({ row: `bot ${invitation.botId}`, recording }, function* () {
        const { botId } = invitation
        if (!(yield* botExists(botId))) return 'bot-unknown'
        yield* sql`DELETE FROM invitations WHERE bot_id = ${botId} AND expires_at_ms <= ${nowMs}`.changes()
        if ((yield* count(sql`FROM invitations WHERE bot_id = ${botId}`)) >= atMost) return 'too-many'
        const capabilities = JSON.stringify(invitation.capabilities)
        yield* insertInto('invitations', { ...invitation, capabilities }).run()
        return 'added'
      }),

    async listInvitations(botId, nowMs) {
      const pending = sql`WHERE bot_id = ${botId} AND expires_at_ms > ${nowMs} ORDER BY invitations.number`
      const found = await listed.query(database, pending)
      return found.map(asInvitation)
    },

    findInvitation: (digest, userId, nowMs) => database.read(() => find(digest, userId, nowMs)),

    acceptInvitation: (digest, userId, { nowMs, expiresAtMs }, recording) =>
      database.write({ recording }, function* () {
        const found = yield* find(digest, userId, nowMs)
        if (found === undefined) return undefined
        const { botId } = found
        const collaborator = sql`SELECT 1 FROM coworkers WHERE bot_id = ${botId} AND user_id = ${userId}`
        if (found.ownerId === userId || (yield* collaborator.exists())) return { kind: 'works-already' }
        // If two users accept the same invitation at the same time, only the first update matches.
        const accepted = yield* sql`UPDATE invitations SET accepted_by = ${userId},
          expires_at_ms = ${expiresAtMs} WHERE number = ${found.number} AND accepted_by IS NULL`.changes()
        return accepted === 1 ? { kind: 'accepted', botId } : undefined
      }),

    declineInvitation: (digest, userId, nowMs, recording) =>
      database.write({ recording }, function* () {
        const found = yield* find(digest, userId, nowMs)
        if (found === undefined) return undefined
        const declined = yield* sql`DELETE FROM invitations WHERE number = ${found.number}
          AND (accepted_by IS NULL OR accepted_by = ${userId})`.changes()
        return declined === 1 ? found.botId : undefined
      }),

    revokeInvitation: (botId, number, recording) =>
      database.write({ recording }, function* () {
        return (yield* sql`DELETE FROM invitations WHERE bot_id = ${botId} AND number = ${number}`.changes()) === 1
      }),

    confirmInvitation: (botId, number, userId, nowMs, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        const found = yield* invitations.first(
          sql`WHERE bot_id = ${botId} AND invitations.number = ${number} AND accepted_by = ${userId}
            AND expires_at_ms > ${nowMs}`,
        )
        if (found === undefined) return { kind: 'unknown' }
        const collaborator = { userId, role: found.role, capabilities: found.capabilities }
        const kind = yield* putCollaborator(botId, collaborator)
        // A concurrent revocation conflicts: the transactions are serializable, so one of them runs again.
        if (isPut(kind)) yield* sql`DELETE FROM invitations WHERE number = ${number}`.run()
        return { kind, collaborator }
      }),
  }
}

/** Finds the invitation, unless another user accepted it. */
function find(digest: SecretDigest, userId: UserId, nowMs: number): Work<FoundRow | undefined> {
  return opened.first(sql`WHERE digest = ${digest} AND expires_at_ms > ${nowMs}
    AND (accepted_by IS NULL OR accepted_by = ${userId})`)
}

function asInvitation({ acceptedBy: userId, name, email, emailVerified, ...row }: ListedRow): Invitation {
  const { botId: _, ...invitation } = row
  return { ...invitation, accepter: userId === null ? undefined : { userId, name, email, emailVerified } }
}
