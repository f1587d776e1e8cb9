import type { Coworker, CoworkerRole } from '../../../domain/bots/bot.ts'
import type { BotStore, PutCoworkerOutcome } from '../../../domain/bots/bot-store.ts'
import type { BotId, UserId } from '../../../domain/ids.ts'
import { changes, type Database, firstRow, rows, type Work } from '../database.ts'
import { userExists } from '../existence.ts'
import { findBot } from './bot-rows.ts'

interface CoworkerRow {
  user_id: string
  role: CoworkerRole
  capabilities: string
}

export function sqlCoworkers(
  database: Database,
): Pick<BotStore, 'putCoworker' | 'findCoworker' | 'listCoworkers' | 'removeCoworker'> {
  return {
    putCoworker: (botId, coworker, recording) =>
      database.write({ row: `bot ${botId}`, recording }, () => putCoworker(botId, coworker)),

    async findCoworker(botId, userId) {
      const row = await database.read(() =>
        firstRow<CoworkerRow>(
          `SELECT user_id, role, capabilities FROM coworkers JOIN bots ON id = bot_id
           WHERE bot_id = ? AND user_id = ? AND deleted_at_ms IS NULL`,
          botId,
          userId,
        ),
      )
      return row && asCoworker(row)
    },

    async listCoworkers(botId) {
      const listed = await database.read(() =>
        rows<CoworkerRow & { name: string }>(
          `SELECT user_id, users.name AS name, role, capabilities
           FROM coworkers JOIN bots ON bots.id = bot_id JOIN users ON users.id = user_id
           WHERE bot_id = ? AND deleted_at_ms IS NULL ORDER BY users.name, user_id`,
          botId,
        ),
      )
      return listed.map((row) => ({ ...asCoworker(row), name: row.name }))
    },

    removeCoworker: (botId, userId, recording) =>
      database.write({ row: `bot ${botId}`, recording }, function* () {
        if ((yield* findBot(botId)) === undefined) return false
        return (yield* changes('DELETE FROM coworkers WHERE bot_id = ? AND user_id = ?', botId, userId)) === 1
      }),
  }
}

/** Adds the user to the bot as a collaborator, or replaces their current role and capabilities. */
export function* putCoworker(botId: BotId, { userId, role, capabilities }: Coworker): Work<PutCoworkerOutcome> {
  const bot = yield* findBot(botId)
  if (bot === undefined) return 'bot-unknown'
  if (!(yield* userExists(userId))) return 'user-unknown'
  if (bot.ownerId === userId) return 'user-is-owner'
  const before = yield* firstRow('SELECT 1 FROM coworkers WHERE bot_id = ? AND user_id = ?', botId, userId)
  yield* changes(
    `INSERT INTO coworkers (bot_id, user_id, role, capabilities) VALUES (?, ?, ?, ?)
     ON CONFLICT (bot_id, user_id) DO UPDATE SET role = excluded.role, capabilities = excluded.capabilities`,
    botId,
    userId,
    role,
    JSON.stringify(capabilities),
  )
  return before === undefined ? 'created' : 'changed'
}

function asCoworker({ user_id, role, capabilities }: CoworkerRow): Coworker {
  return { userId: user_id as UserId, role, capabilities: JSON.parse(capabilities) }
}
