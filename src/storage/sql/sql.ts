export type SqlValue = string | number | null | Uint8Array

/** What the database returns for one statement. */
export interface StatementResult {
  rows: object[]
  changes: number
}

/**
 * A unit of work, written once for both databases: a generator that yields one or more statements at a time and
 * receives their results. SQLite runs it synchronously in its group commit, PostgreSQL in a transaction over the wire.
 * A unit of work must have no effects outside the database, because it runs again if its transaction is retried.
 *
 * Statements use only SQL that both dialects share: `IS NOT DISTINCT FROM` to compare nulls, `CAST(… AS BIGINT)` where
 * PostgreSQL can't infer a value's type.
 */
export type Work<T> = Generator<readonly Sql[], T, readonly StatementResult[]>

/** A statement, or a fragment of one. */
export class Sql {
  /** The text, with a `?` for each value. */
  readonly text: string
  readonly values: readonly SqlValue[]

  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text
    this.values = values
  }

  *rows<Row extends object>(): Work<Row[]> {
    return (yield [this])[0]?.rows as Row[]
  }

  *first<Row extends object>(): Work<Row | undefined> {
    return (yield [this])[0]?.rows[0] as Row | undefined
  }

  *exists(): Work<boolean> {
    return (yield [this])[0]?.rows[0] !== undefined
  }

  *run(): Work<void> {
    yield [this]
  }

  /** Runs the statement and returns the number of rows it changed. */
  *changes(): Work<number> {
    return (yield [this])[0]?.changes as number
  }
}

type Part = SqlValue | boolean | Sql

interface Composition {
  text: string
  fragments: readonly (string | undefined)[]
}

/** The last text of each template, so that databases look up statements by the same string object every time. */
const compositions = new WeakMap<TemplateStringsArray, Composition>()

/**
 * Makes a statement from a template. Values become parameters. Fragments, such as a condition, become part of the text
 * with their own values.
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  const values: SqlValue[] = []
  let known = compositions.get(strings)
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] as Part
    if (part instanceof Sql) for (const value of part.values) values.push(value)
    else values.push(typeof part === 'boolean' ? Number(part) : part)
    if (known !== undefined && known.fragments[at] !== textOf(part)) known = undefined
  }
  if (known === undefined) {
    const fragments = parts.map(textOf)
    known = { text: strings.reduce((text, next, at) => `${text}${fragments[at - 1] ?? '?'}${next}`), fragments }
    compositions.set(strings, known)
  }
  return new Sql(known.text, values)
}

function textOf(part: Part): string | undefined {
  return part instanceof Sql ? part.text : undefined
}
