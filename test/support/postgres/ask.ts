import { Client } from 'pg'

export async function ask(url: string, sql: string): Promise<object[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
