import { statSync } from 'node:fs'
import { join } from 'node:path'
import { misconfigured } from './start-fault.ts'

/** Files whose presence shows that a directory contains a service's data. */
export const dataFiles = ['identity.sqlite', 'queue.sqlite'] as const

/**
 * Rejects data owned by another user, even for root. Files written by this process would belong to the current user,
 * and the service could no longer read them.
 *
 * @throws StartFault
 */
export function refuseOtherOwner(dataDir: string): void {
  const line = otherOwner(dataDir)
  if (line !== undefined) throw misconfigured(line)
}

/** Returns an error message if the data belongs to another user. */
export function otherOwner(dataDir: string): string | undefined {
  // Windows has no user IDs.
  const user = process.getuid?.()
  if (user === undefined) return undefined
  const owner = ownerOfData(dataDir, user)
  if (owner === undefined || owner === user) return undefined
  return `the data in ${dataDir} belongs to user ${owner}, but this is user ${user}; run the command as user ${owner}`
}

function ownerOfData(dataDir: string, user: number): number | undefined {
  for (const name of [...dataFiles, 'secret.key', 'operator.key']) {
    const owner = ownerOf(join(dataDir, name))
    if (owner !== undefined) return owner
  }
  // Without data, the directory's owner matters only if the current user is root, which can write to any directory.
  // Other users may have access through a group, as is common for volumes.
  return user === 0 ? ownerOf(dataDir) : undefined
}

/**
 * Returns the owner's user ID, or `undefined` if it can't be read. The later attempt to open the file reports that
 * error.
 */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}
