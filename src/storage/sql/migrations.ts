import { readdirSync, readFileSync } from 'node:fs'

/**
 * Returns the SQL of each migration in the folder, the first at index 0. Files are named like `0001-what-it-does.sql`.
 * A database's schema version is the number of the last migration applied to it.
 *
 * @throws Error if the numbers are not 1, 2, 3 and so on. With a gap or a duplicate, existing databases would skip a
 * migration.
 */
export function readMigrations(folder: URL): string[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  for (const [index, name] of names.entries()) {
    const expected = String(index + 1).padStart(4, '0')
    if (!name.startsWith(`${expected}-`)) {
      throw new Error(`migration ${name} in ${folder.pathname} should be number ${expected}: numbers run without gaps`)
    }
  }
  return names.map((name) => readFileSync(new URL(name, folder), 'utf8'))
}
