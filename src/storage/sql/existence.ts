import { sql, type Work } from './sql.ts'

export function userExists(id: string): Work<boolean> {
  return sql`SELECT 1 FROM users WHERE id = ${id}`.exists()
}

/** Returns whether the bot exists and is not deleted. */
export function botExists(id: string): Work<boolean> {
  return sql`SELECT 1 FROM bots WHERE id = ${id} AND deleted_at_ms IS NULL`.exists()
}
