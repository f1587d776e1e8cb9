import type { Application, StoredApplicationChange } from './application-store.ts'

type OperatorMarks = Pick<Application, 'verified' | 'firstParty'>

/**
 * Returns the operator's marks, `verified` and `firstParty`, after a change. Both are removed when the owner changes
 * the name, website, redirect URIs or environment: the operator granted them for the old values, and `firstParty` skips
 * the consent page.
 *
 * @param byOwner whether the owner made the change; otherwise the operator did.
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
