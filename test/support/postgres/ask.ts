import { withClient } from './with-client.ts'

export async function ask(url: string, sql: string): Promise<object[]> {
  return withClient(url, async (client) => (await client.query(sql)).rows)
}
