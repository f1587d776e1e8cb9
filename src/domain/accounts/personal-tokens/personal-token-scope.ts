/** Scopes of a personal access token. A scope never permits more than the token's user is allowed to do. */
export const personalTokenScopes = [
  /** Read the user's bots and their status. */
  'bots.read',
  /** Switch hosting and the public status on or off. */
  'bots.write',
  /** Read the delivery log with headers and bodies. */
  'deliveries.read',
  /** Replay, retry and discard events. */
  'deliveries.write',
  'flows.read',
  /** Change flows, their keys and signatures, and send test webhooks. */
  'flows.write',
  'logs.read',
  'runtimes.read',
  /** Create and remove runtimes and their keys. */
  'runtimes.write',
] as const
export type PersonalTokenScope = (typeof personalTokenScopes)[number]

export function isWriting(scope: PersonalTokenScope): boolean {
  return scope.endsWith('.write')
}
