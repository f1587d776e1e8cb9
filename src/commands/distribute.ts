import { distributeQueue } from '../storage/postgres/distribute.ts'
import { migrate } from '../storage/postgres/migrate.ts'
import { Primary } from '../storage/postgres/primary.ts'
import { recoverLostPartitions } from '../storage/postgres/queue/lost-partitions.ts'
import { configured, exitCodes, failed, misconfigured, reasonOf } from './start-fault.ts'

/**
 * `gatehouse distribute`: divides the delivery queue's tables over the workers of the Citus database at `DATABASE_URL`.
 * Creates the tables first if they are missing. Running it again only recovers partitions that the coordinator has lost.
 *
 * @throws StartFault if the database is unreachable or unsuitable. Nothing is then distributed.
 */
export async function distribute(): Promise<number> {
  const { databaseUrls } = configured()
  if (databaseUrls === undefined) {
    throw misconfigured(
      'DATABASE_URL is missing; set it to the URL of the Citus coordinator, such as postgres://user:password@host:5432/gatehouse',
    )
  }
  try {
    const primary = new Primary(databaseUrls)
    const client = await primary.connect('gatehouse distribute')
    try {
      await migrate(client)
      const tables = await distributeQueue(client)
      const outcome = tables.length === 0 ? 'The queue was already distributed.' : `Distributed ${tables.join(', ')}.`
      process.stdout.write(`${outcome}\n`)
      if (await recoverLostPartitions(client, primary)) {
        process.stdout.write('Recovered partitions of finished events that only workers had.\n')
      }
    } finally {
      await client.end()
    }
  } catch (error) {
    throw failed(`the queue was not distributed: ${reasonOf(error)}`, error)
  }
  return exitCodes.ok
}
