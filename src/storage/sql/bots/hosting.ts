import type { BotStore, HostableBot } from '../../../domain/bots/bot-store.ts'
import type { BotId, UserId } from '../../../domain/ids.ts'
import type { Database } from '../database.ts'
import { rows, rowsOfEach } from '../work.ts'
import type { BotRow } from './bot-rows.ts'

type HostableRow = Pick<BotRow, 'id' | 'owner_id' | 'hosting_enabled'>

const hostable = 'SELECT id, owner_id, hosting_enabled FROM bots WHERE deleted_at_ms IS NULL'
/**
 * Maximum number of bots per statement. Running a separate statement for each of 10,000 bots would block the event loop
 * for a third of a second.
 */
const hostablePerStatement = 200
const hostableGroup = `${hostable} AND id IN (${Array.from({ length: hostablePerStatement }, () => '?').join(', ')})`

export function sqlHosting(database: Database): Pick<BotStore, 'listForHosting' | 'listAllForHosting'> {
  return {
    async listForHosting(botIds) {
      const whole = botIds.length - (botIds.length % hostablePerStatement)
      const groups = Array.from({ length: whole / hostablePerStatement }, (_, n) =>
        botIds.slice(n * hostablePerStatement, (n + 1) * hostablePerStatement),
      )
      const found = await database.read(function* () {
        const inGroups = groups.length > 0 ? yield* rowsOfEach<HostableRow>(hostableGroup, groups) : []
        const rest = botIds.slice(whole).map((id) => [id])
        return [...inGroups, ...(yield* rowsOfEach<HostableRow>(`${hostable} AND id = ?`, rest))]
      })
      return found.flat().map(asHostable)
    },

    async listAllForHosting(ownerId) {
      const found = await database.read(() =>
        ownerId === null ? rows<HostableRow>(hostable) : rows<HostableRow>(`${hostable} AND owner_id = ?`, ownerId),
      )
      return found.map(asHostable)
    },
  }
}

function asHostable(row: HostableRow): HostableBot {
  return { id: row.id as BotId, ownerId: row.owner_id as UserId, hostingEnabled: row.hosting_enabled === 1 }
}
