import type { PutOutcome } from '../put-outcome.ts'
/** The nine standard scopes, in the order in which the specification lists them. The operator may declare more. */
export const standardScopes = [
  'user.identify',
  'user.email',
  'user.connections.read',
  'offline_access',
  'bots.read',
  'flows.read',
  'guilds.read',
  'logs.read',
  'cowork.read',
] as const

export const offlineAccess = 'offline_access'

export interface DeclaredScope {
  name: string
  description: string
}

/** RFC 6749 section 3.3, without the comma, and at most 100 characters. */
export const scopeName = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]{1,100}$/

/** Drops duplicates. Separated by spaces (RFC 6749 section 3.3), or commas, which a widely used library sends. */
export function parseScopes(text: string): string[] {
  return [...new Set(text.split(/[ ,]+/).filter((name) => name !== ''))]
}

/** Returns whether these scopes require the session PIN to be unlocked (specification, "Authentication"). */
export function needsPin(scopes: readonly string[]): boolean {
  return scopes.some(
    (scope) =>
      scope === 'user.email' ||
      scope === 'user.connections.read' ||
      scope.endsWith('.write') ||
      scope.endsWith('.manage'),
  )
}

/**
 * Returns the first scope that is not in `of`, for an error description. Returns `undefined` if there is none, or if
 * its name is not safe to repeat: too long, with unusual characters, or like one of this service's secrets.
 */
export function nameableBeyond(scopes: readonly string[], of: readonly string[]): string | undefined {
  const beyond = scopes.find((scope) => !of.includes(scope))
  return beyond !== undefined && nameable.test(beyond) ? beyond : undefined
}

const nameable = /^(?!svc_)[A-Za-z0-9._:/-]{1,100}$/

export function isSubset(scopes: readonly string[], of: readonly string[]): boolean {
  return scopes.every((scope) => of.includes(scope))
}

/** Scopes that the operator declares in addition to the standard ones. */
export interface ScopeStore {
  declare(scope: DeclaredScope): Promise<PutOutcome>
  /** Consents and tokens that include the scope keep it. */
  remove(name: string): Promise<boolean>
  /** Sorted by name. */
  list(): Promise<readonly DeclaredScope[]>
}

/** Reads the declared scopes only if `needed` has any that is not standard. */
export async function knownScopes(store: ScopeStore, needed: readonly string[]): Promise<readonly string[]> {
  if (isSubset(needed, standardScopes)) return standardScopes
  return [...standardScopes, ...(await store.list()).map(({ name }) => name)]
}

const standardDescriptions: Record<(typeof standardScopes)[number], string> = {
  'user.identify': 'See your name, your linked chat-platform ID and your number of bots',
  'user.email': 'See your email address',
  'user.connections.read': 'See whether a chat-platform account, a code-hosting account and a passkey are linked',
  offline_access: 'Keep this access while you are away, until you revoke it',
  'bots.read': 'See your bots: name, picture, state, plan and your role',
  'flows.read': 'See your flows: kind, name and public code',
  'guilds.read': 'See which chat-platform servers your bots are in',
  'logs.read': 'Read the recent runtime logs of your bots',
  'cowork.read': 'See the collaborators on your bots and what they may do',
}

/**
 * The operator can add scopes but can't change the standard descriptions. The result has no prototype, so that looking
 * up a scope such as `constructor` finds nothing.
 */
export function describeScopes(declared: readonly DeclaredScope[]): Record<string, string> {
  const added = Object.fromEntries(declared.map(({ name, description }) => [name, description]))
  return Object.assign(Object.create(null), standardDescriptions, added, standardDescriptions)
}
