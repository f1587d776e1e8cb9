import { TypeOverrides } from 'pg'

const [bool, bytea, int8] = [16, 17, 20]

/**
 * Type parsers for all connections. Rows look as SQLite returns them: integers and booleans are numbers, and bytes are
 * a plain `Uint8Array`.
 */
export const rowTypes = new TypeOverrides()
rowTypes.setTypeParser(bool, (text: string) => (text === 't' ? 1 : 0))
rowTypes.setTypeParser(bytea, (text: string) => Uint8Array.fromHex(text.slice(2)))
rowTypes.setTypeParser(int8, Number)
