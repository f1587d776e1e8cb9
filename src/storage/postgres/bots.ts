import type { BotRef } from '../../domain/bots/bot-ref.ts'
import type { StoredPublicBot } from '../../domain/bots/bot-store.ts'
import { asWholeBot, SqlBots, type WholeBotRow, wholeBots } from '../sql/bots/bots.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { TickBatch } from './tick-batch.ts'

type LookUps = TickBatch<string, StoredPublicBot | undefined>

/** Bots in PostgreSQL. Status look-ups of one event loop tick share a statement. */
export class PostgresBots extends SqlBots {
  readonly #public: Record<BotRef['kind'], LookUps>

  constructor(database: PostgresDatabase) {
    super(database)
    this.#public = {
      'bot-id': lookUps(database, 'id'),
      'chat-platform-id': lookUps(database, 'chat_platform_id'),
    }
  }

  override findPublic({ kind, id }: BotRef): Promise<StoredPublicBot | undefined> {
    return this.#public[kind].add(id)
  }
}

function lookUps(database: PostgresDatabase, column: 'id' | 'chat_platform_id'): LookUps {
  const text = `${wholeBots} AND public_status = 1 AND bots.${column} = ANY($1)`
  return new TickBatch({
    perform: async (ids) => {
      const rows = await database.pool.rowsOnce<WholeBotRow>(text, [ids])
      const byId = new Map(rows.map((row) => [row[column], row]))
      return ids.map((id) => {
        const row = byId.get(id)
        return row && asWholeBot(row)
      })
    },
    most: 500,
  })
}
