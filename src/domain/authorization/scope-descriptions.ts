import type { DeclaredScope, standardScopes } from './scope.ts'

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
 * Returns all scopes with their descriptions. The operator can add scopes but can't change the standard descriptions.
 */
export function describeScopes(declared: readonly DeclaredScope[]): Record<string, string> {
  const added = Object.fromEntries(declared.map(({ name, description }) => [name, description]))
  return { ...standardDescriptions, ...added, ...standardDescriptions }
}
