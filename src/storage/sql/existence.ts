import { firstRow, type Work } from './database.ts'

export function* userExists(id: string): Work<boolean> {
  return (yield* firstRow('SELECT 1 FROM users WHERE id = ?', id)) !== undefined
}

/** Returns whether the bot exists and is not deleted. */
export function* botExists(id: string): Work<boolean> {
  return (yield* firstRow('SELECT 1 FROM bots WHERE id = ? AND deleted_at_ms IS NULL', id)) !== undefined
}
