import type { Application, StoredApplicationChange } from './application-store.ts'

/**
 * Whether an application is verified after a change. The operator's word counts; without it the mark stays as long as
 * the name and the website do that it was given to, else an owner could have Acme checked and then call it a bank.
 *
 * @param byOwner the owner makes the change, not the operator.
 */
export function verifiedAfter(
  before: Pick<Application, 'verified' | 'name' | 'websiteUrl'>,
  change: Pick<StoredApplicationChange, 'verified' | 'name' | 'websiteUrl'>,
  byOwner: boolean,
): boolean {
  if (change.verified !== undefined) return change.verified
  const sameFace = before.name === change.name && before.websiteUrl === change.websiteUrl
  return before.verified && (sameFace || !byOwner)
}
