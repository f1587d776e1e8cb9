import { TypeOverrides } from 'pg'

const [bool, bytea, int8] = [16, 17, 20]

/**
 * Type parsers for all connections. Rows look the same as from SQLite: integers and booleans are numbers, and bytes are
 * plain `Uint8Array`s.
 */
export const rowTypes = new TypeOverrides()
rowTypes.setTypeParser(bool, (text: string) => (text === 't' ? 1 : 0))
rowTypes.setTypeParser(bytea, (text: string) => Uint8Array.fromHex(text.slice(2)))
rowTypes.setTypeParser(int8, Number)
