interface Prepared {
  name: string
  text: string
}

const statements = new Map<string, Prepared>()

/**
 * Returns the statement in PostgreSQL's dialect, with the name under which each connection prepares it. Pass only
 * constant statements, because each one is kept for the life of the process.
 */
export function prepared(sql: string): Prepared {
  let statement = statements.get(sql)
  if (statement === undefined) {
    statement = { name: `s${statements.size}`, text: inDollars(sql) }
    statements.set(sql, statement)
  }
  return statement
}

/**
 * Replaces placeholders like `?` and `?1` with PostgreSQL's `$1`. String literals in the statement must not contain a
 * question mark.
 */
function inDollars(sql: string): string {
  let last = 0
  return sql.replace(/\?(\d*)/g, (_, number: string) => {
    last = number === '' ? last + 1 : Number(number)
    return `$${last}`
  })
}
