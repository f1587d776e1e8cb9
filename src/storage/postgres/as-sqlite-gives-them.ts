import { TypeOverrides } from 'pg'

/** PostgreSQL's numbers of types. */
const [bool, bytea, int8] = [16, 17, 20]

/** Numbers for whole numbers and truth, and plain bytes: the rows then look alike whichever database gave them. */
export function asSqliteGivesThem(): TypeOverrides {
  const types = new TypeOverrides()
  types.setTypeParser(bool, (text: string) => (text === 't' ? 1 : 0))
  types.setTypeParser(bytea, (text: string) => new Uint8Array(Buffer.from(text.slice(2), 'hex')))
  types.setTypeParser(int8, Number)
  return types
}
