import { parseChatPlatformId } from '../../ids.ts'
import { personNameMaxCharacters, upstreamSubjectMaxCharacters } from '../../limits/limits.ts'
import { oneLine } from '../../one-line.ts'
import { parseCodeHostingId, parseEmail } from '../credential-rules.ts'
import type { StoredEmail } from '../user-store.ts'
import type { NewLinkedAccount } from './linked-account-store.ts'
import type { ProviderKey, UpstreamIdentity, UpstreamProvider } from './upstream.ts'

/** Returns the account to store, or `undefined` if the account's ID doesn't match the provider's format. */
export function accountOf(
  { key, issuer }: Pick<UpstreamProvider, 'key' | 'issuer'>,
  { subject, name }: UpstreamIdentity,
): NewLinkedAccount | undefined {
  if (!isSubject(key, subject)) return undefined
  // Shortens a long name and drops an empty one, because neither may prevent the user from signing in.
  const kept = [...oneLine(name ?? '')].slice(0, personNameMaxCharacters).join('').trim()
  return { provider: key, issuer, subject, name: kept === '' ? null : kept }
}

/**
 * Returns the verified email address, or `null` if the address is missing or malformed. A malformed address must not
 * prevent the user from signing in.
 */
export function verifiedEmailOf({ verifiedEmail }: UpstreamIdentity): StoredEmail | null {
  const parsed = verifiedEmail === undefined ? undefined : parseEmail(verifiedEmail)
  return parsed !== undefined && 'value' in parsed ? parsed.value : null
}

function isSubject(key: ProviderKey, subject: string): boolean {
  switch (key) {
    case 'chat-platform':
      return parseChatPlatformId(subject) !== undefined
    case 'code-hosting':
      return 'value' in parseCodeHostingId(subject)
    case 'upstream':
      return subject !== '' && subject.length <= upstreamSubjectMaxCharacters && !/\p{Cc}/u.test(subject)
  }
}
