import type { Role } from './bot.ts'

/** Every action that a user can perform on a bot. Excludes provisioning. */
export const botActions = [
  /** View the bot's record, state and collaborators, and its flows with their webhook URLs. */
  'see',
  'read-logs',
  /** View the delivery log: times, flows, states and attempts. */
  'read-deliveries',
  /** View the headers and bodies of events, which contain other people's data. */
  'read-bodies',
  'replay',
  'switch-hosting',
  'change-status-page',
  /** Change the webhook settings of flows and send test webhooks. */
  'change-flows',
  /** Create, rename and remove flows. */
  'manage-flows',
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

/** The actions that each capability permits. Other capabilities can be stored, but permit nothing in this service. */
export const capabilityMay = {
  deliveries: ['read-bodies', 'replay'],
  hosting: ['switch-hosting'],
  status: ['change-status-page'],
  flows: ['change-flows'],
  keys: ['change-keys'],
} as const satisfies Record<string, readonly BotAction[]>

/**
 * A user's role and capabilities. The owner has no capabilities, because the owner's role already permits everything.
 */
export interface BotMembership {
  role: Role
  capabilities: readonly string[]
}

/**
 * Returns whether this role and these capabilities permit the action.
 *
 * Capabilities permit actions in addition to those of the role. Only the owner can manage flows, runtimes and
 * collaborators, so a collaborator can't extend anyone's permissions, including their own.
 */
export function mayDo({ role, capabilities }: BotMembership, action: BotAction): boolean {
  if (roleMay[role].includes(action)) return true
  return capabilities.some((capability) => {
    if (!Object.hasOwn(capabilityMay, capability)) return false
    const adds: readonly BotAction[] = capabilityMay[capability as keyof typeof capabilityMay]
    return adds.includes(action)
  })
}
