import type { Application, StoredApplicationChange } from './application-store.ts'

/** What the operator grants an application. */
type OperatorMarks = Pick<Application, 'verified' | 'firstParty'>

/**
 * Returns the operator's marks after a change. The operator sets them. They end when the owner changes the name, the
 * website, the redirect URIs or the environment: the operator granted them to an application that had the old ones,
 * and `firstParty` signs users in without asking.
 *
 * @param byOwner the owner makes the change, not the operator.
 */
export function operatorMarksAfter(
  before: OperatorMarks & StoredApplicationChange,
  change: StoredApplicationChange,
  byOwner: boolean,
): OperatorMarks {
  const { verified = before.verified, firstParty = before.firstParty } = change
  return byOwner && isDifferent(before, change) ? { verified: false, firstParty: false } : { verified, firstParty }
}

function isDifferent(before: StoredApplicationChange, after: StoredApplicationChange): boolean {
  const uris = new Set(before.redirectUris)
  return (
    before.name !== after.name ||
    before.websiteUrl !== after.websiteUrl ||
    before.environment !== after.environment ||
    uris.symmetricDifference(new Set(after.redirectUris)).size > 0
  )
}
