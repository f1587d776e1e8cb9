import type { Role } from './bot.ts'

/** All that a person can want with a bot, besides its provisioning. */
export const botActions = [
  /** Its record, state, flows with their addresses, coworkers. */
  'see',
  'read-logs',
  /** The delivery log: when, which flow, state, attempts. */
  'read-deliveries',
  /** Headers and bodies of its events, which are other people's data. */
  'read-bodies',
  /** Sends an event anew, or gives one up. */
  'replay',
  /** Hosting on or off, and where. */
  'switch-hosting',
  /** Public status on or off, and the notice on it. */
  'change-status-page',
  /** How its flows take webhooks, and sending a test. */
  'change-flows',
  /** Flow keys and signing secrets. */
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

/** The capabilities that mean something here. Others are the platform's own and add nothing. */
export const capabilityMay = {
  deliveries: ['read-bodies', 'replay'],
  hosting: ['switch-hosting'],
  status: ['change-status-page'],
  flows: ['change-flows'],
  keys: ['change-keys'],
} as const satisfies Record<string, readonly BotAction[]>

/** What somebody is to a bot. The owner has no capabilities and needs none. */
export interface BotStanding {
  role: Role
  capabilities: readonly string[]
}

/**
 * Whether somebody in this role may do that. Capabilities add to a coworker's role and take nothing away; runtimes
 * and coworkers are the owner's alone, so that nobody can let others, or themselves, do more than they were allowed.
 */
export function mayDo({ role, capabilities }: BotStanding, action: BotAction): boolean {
  if (roleMay[role].includes(action)) return true
  return capabilities.some((capability) => {
    if (!Object.hasOwn(capabilityMay, capability)) return false
    const adds: readonly BotAction[] = capabilityMay[capability as keyof typeof capabilityMay]
    return adds.includes(action)
  })
}
