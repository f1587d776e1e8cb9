import type { Role } from './bot.ts'

/** Everything that a user can do with a bot, except provisioning. */
export const botActions = [
  /** Record, state, coworkers, and flows with their webhook URLs. */
  'see',
  'read-logs',
  /** The delivery log: times, flows, states, attempts. */
  'read-deliveries',
  /** Headers and bodies of events. They contain other people's data. */
  'read-bodies',
  'replay',
  'switch-hosting',
  'change-status-page',
  /** Change the webhook settings of flows, and send test webhooks. */
  'change-flows',
  'change-keys',
  'change-runtimes',
  'change-coworkers',
] as const
export type BotAction = (typeof botActions)[number]

const viewerMay: readonly BotAction[] = ['see', 'read-logs', 'read-deliveries']
const editorMay: readonly BotAction[] = [
  ...viewerMay,
  'read-bodies',
  'replay',
  'switch-hosting',
  'change-status-page',
  'change-flows',
]
const roleMay: Record<Role, readonly BotAction[]> = { owner: botActions, editor: editorMay, viewer: viewerMay }

/** Capabilities known to this service. Others belong to the platform and permit nothing here. */
export const capabilityMay = {
  deliveries: ['read-bodies', 'replay'],
  hosting: ['switch-hosting'],
  status: ['change-status-page'],
  flows: ['change-flows'],
  keys: ['change-keys'],
} as const satisfies Record<string, readonly BotAction[]>

/** A user's role and capabilities. The owner has no capabilities and needs none. */
export interface BotMembership {
  role: Role
  capabilities: readonly string[]
}

/**
 * Returns whether this role and these capabilities permit the action.
 *
 * Capabilities only add to a coworker's role. Managing runtimes and coworkers is reserved for the owner, so a coworker
 * can't extend anyone's permissions, including their own.
 */
export function mayDo({ role, capabilities }: BotMembership, action: BotAction): boolean {
  if (roleMay[role].includes(action)) return true
  return capabilities.some((capability) => {
    if (!Object.hasOwn(capabilityMay, capability)) return false
    const adds: readonly BotAction[] = capabilityMay[capability as keyof typeof capabilityMay]
    return adds.includes(action)
  })
}
