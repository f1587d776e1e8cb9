import type { DeclaredScope, standardScopes } from './scope.ts'

const standardDescriptions: Record<(typeof standardScopes)[number], string> = {
  'user.identify': 'See your name, your linked chat-platform id and how many bots you have',
  'user.email': 'See your e-mail address',
  'user.connections.read': 'See whether a chat-platform account, a code-hosting account and a passkey are linked',
  offline_access: 'Keep this access when you are away, until you take it back',
  'bots.read': 'See your bots: name, picture, state, plan and your role',
  'flows.read': 'See your flows: kind, name and public code',
  'guilds.read': 'See in which chat-platform servers your bots are',
  'logs.read': 'Read the recent runtime log of your bots',
  'cowork.read': 'See who works with you on your bots and what they may do',
}

/** Returns every scope with its description. The operator can add scopes, but not change the standard descriptions. */
export function describeScopes(declared: readonly DeclaredScope[]): Record<string, string> {
  const added = Object.fromEntries(declared.map(({ name, description }) => [name, description]))
  return { ...standardDescriptions, ...added, ...standardDescriptions }
}
