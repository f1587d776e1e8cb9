interface Prepared {
  name: string
  text: string
}

const statements = new Map<string, Prepared>()

/**
 * Returns the statement in PostgreSQL's dialect, and the name under which each connection keeps it prepared. For
 * constant statements only: each one is kept as long as the process lives.
 */
export function prepared(sql: string): Prepared {
  let statement = statements.get(sql)
  if (statement === undefined) {
    statement = { name: `s${statements.size}`, text: inDollars(sql) }
    statements.set(sql, statement)
  }
  return statement
}

/** Returns the statement with PostgreSQL's `$1` in place of `?` and `?1`. No text in quotes holds a question mark. */
function inDollars(sql: string): string {
  let last = 0
  return sql.replace(/\?(\d*)/g, (_, number: string) => {
    last = number === '' ? last + 1 : Number(number)
    return `$${last}`
  })
}
