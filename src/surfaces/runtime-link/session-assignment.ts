import type { Runtime, RuntimeAccess } from '../../domain/bots/runtimes/runtime.ts'
import { closeCodes, drainReasons } from './contract.ts'
import type { SessionEnd } from './link-session.ts'

/**
 * Returns how a session ends if the runtime's list of bots is no longer the one with which the session opened. The
 * runtime reconnects, keeps its deliveries in flight, and gets the new list.
 */
export function endOfAssignment(opened: Runtime, access: RuntimeAccess | undefined): SessionEnd | undefined {
  const [before, after] = [opened.botIds, access?.botIds]
  if (after === undefined || before === after) return undefined
  const same = before && after && new Set(before).symmetricDifference(new Set(after)).size === 0
  return same ? undefined : { code: closeCodes.draining, reason: drainReasons.botsChanged }
}
