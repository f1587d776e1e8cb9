/** The statement with PostgreSQL's `$1` in place of `?` and `?1`. No text in quotes holds a question mark. */
export function inDollars(sql: string): string {
  let last = 0
  return sql.replace(/\?(\d*)/g, (_, number: string) => {
    last = number === '' ? last + 1 : Number(number)
    return `$${last}`
  })
}
