import { statSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes, StartFault } from './start-fault.ts'

/** Files of a data directory that holds data. */
export const dataFiles = ['identity.sqlite', 'queue.sqlite'] as const

/**
 * Refuses to work on data of another user, root included: what this process writes would belong to it, and the service
 * could not read it any more.
 *
 * @throws StartFault
 */
export function refuseOtherOwner(dataDir: string): void {
  const line = otherOwner(dataDir)
  if (line !== undefined) throw new StartFault(exitCodes.configuration, [line])
}

/** Says whose data it is when it is not this user's. */
export function otherOwner(dataDir: string): string | undefined {
  // Windows has no user ids.
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
  // An empty directory may be shared with a group, as volumes are; only root could write it regardless.
  return user === 0 ? ownerOf(dataDir) : undefined
}

/** Undefined also where it can't be looked up: opening it will tell why. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}
