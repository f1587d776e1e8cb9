import type { BotStore, StoredPublicBot } from '../../domain/bots/bot-store.ts'
import { asBotWithStatus, type BotWithStatusRow, botsWithStatus } from '../sql/bots/bot-rows.ts'
import { sqlBots } from '../sql/bots/bots.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { TickBatch } from './tick-batch.ts'

type LookUps = TickBatch<string, StoredPublicBot | undefined>

/** Bots in PostgreSQL. All status look-ups made in one event loop tick share a statement. */
export function postgresBots(database: PostgresDatabase): BotStore {
  const byBotId = lookUps(database, 'id')
  const byChatPlatformId = lookUps(database, 'chat_platform_id')
  return {
    ...sqlBots(database),
    findPublic: ({ kind, id }) => (kind === 'bot-id' ? byBotId : byChatPlatformId).add(id),
  }
}

function lookUps(database: PostgresDatabase, column: 'id' | 'chat_platform_id'): LookUps {
  const text = `${botsWithStatus} AND public_status = 1 AND bots.${column} = ANY($1)`
  return new TickBatch({
    perform: async (ids) => {
      const rows = await database.pool.rowsOnce<BotWithStatusRow>(text, [ids])
      const byId = new Map(rows.map((row) => [row[column], row]))
      return ids.map((id) => {
        const row = byId.get(id)
        return row && asBotWithStatus(row)
      })
    },
    maxItems: 500,
  })
}
