import { closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { identityFile, queueFile } from '../storage/sqlite/database-files.ts'
import { exitCodes, reasonOf, StartFault } from './start-fault.ts'

const { name: identity } = identityFile
const { name: queue } = queueFile

/**
 * Returns what is wrong with a data directory that has only one of the two databases, and how to fix it. An empty
 * `queue.sqlite` counts as present: an interrupted first start leaves one, and operators create one to give up the lost
 * queue.
 */
export function lostDatabase(dataDir: string): { summary: string; remedy: string } | undefined {
  const [hasIdentity, hasQueue] = [identity, queue].map((name) => bytesOf(join(dataDir, name)) > 0)
  if (hasQueue && !hasIdentity) {
    return {
      summary: `${dataDir} has ${queue}, but ${identity} is lost`,
      remedy: `restore both from a backup, or move ${queue} away to start without any data`,
    }
  }
  if (hasIdentity && !existsSync(join(dataDir, queue))) {
    return {
      summary: `${dataDir} has ${identity}, but ${queue} is lost`,
      remedy: `restore both from a backup, or create an empty ${queue} to start without the webhooks in it`,
    }
  }
  return undefined
}

/**
 * Refuses to start with only one of the two databases. On the first start, creates the queue's file before the identity
 * database is filled, so that a later start can distinguish an interrupted first start from a lost database.
 *
 * @returns whether this is the first start.
 * @throws StartFault
 */
export function requireBothDatabases(dataDir: string): boolean {
  const lost = lostDatabase(dataDir)
  if (lost !== undefined) throw new StartFault(exitCodes.configuration, [`${lost.summary}; ${lost.remedy}`])
  const path = join(dataDir, queue)
  if (existsSync(path)) return false
  try {
    closeSync(openSync(path, 'a', 0o600))
    const directory = openSync(dataDir, 'r')
    fsyncSync(directory)
    closeSync(directory)
    return true
  } catch (error) {
    throw new StartFault(exitCodes.failed, [`${path} can't be created (${reasonOf(error)})`], error)
  }
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
