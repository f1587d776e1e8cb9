import type { AuditEntry, Origin } from '../audit/audit.ts'
import type { BotId, UserId } from '../ids-and-secrets.ts'
import type { Bot, BotStore, Role } from './bot.ts'
import { BotRefusal } from './record-rules.ts'

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

/** Other capabilities can be stored, but permit nothing in this service. */
export const capabilityMay = {
  deliveries: ['read-bodies', 'replay'],
  hosting: ['switch-hosting'],
  status: ['change-status-page'],
  flows: ['change-flows'],
  keys: ['change-keys'],
} as const satisfies Record<string, readonly BotAction[]>

/** The owner has no capabilities, because the owner's role already permits everything. */
interface BotMembership {
  role: Role
  capabilities: readonly string[]
}

/** Only the owner can manage flows, runtimes and collaborators, so that collaborators can’t extend permissions. */
export function mayDo({ role, capabilities }: BotMembership, action: BotAction): boolean {
  if (roleMay[role].includes(action)) return true
  return capabilities.some((capability) => {
    if (!Object.hasOwn(capabilityMay, capability)) return false
    const adds: readonly BotAction[] = capabilityMay[capability as keyof typeof capabilityMay]
    return adds.includes(action)
  })
}

export interface Actor {
  userId: UserId
  origin: Origin
}

export function botAuditEntry(
  kind: AuditEntry['kind'],
  botId: BotId,
  { userId, origin }: Actor,
  detail: Record<string, string>,
): AuditEntry {
  return { kind, actor: 'user', origin, userId, botId, detail }
}

export interface AccessibleBot extends BotMembership {
  bot: Bot
}

export type BotAccess = ReturnType<typeof createBotAccess>

export function createBotAccess(bots: BotStore) {
  async function find(userId: UserId, botId: BotId): Promise<AccessibleBot | undefined> {
    const bot = await bots.findBot(botId)
    if (bot?.ownerId === userId) return { bot, role: 'owner', capabilities: [] }
    const collaborator = bot && (await bots.findCollaborator(botId, userId))
    return collaborator && { bot, role: collaborator.role, capabilities: collaborator.capabilities }
  }

  return {
    /**
     * @throws BotRefusal `bot-unknown` if the bot does not exist or the user has no role in it, so that the two cases
     * are indistinguishable; `not-allowed` if the role doesn't permit the action.
     */
    async demand(userId: UserId, botId: BotId, action: BotAction): Promise<AccessibleBot> {
      const found = await find(userId, botId)
      if (found === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}, user ${userId}` })
      if (!mayDo(found, action)) {
        throw new BotRefusal('not-allowed', { detail: `${action}, bot ${botId}, user ${userId}, ${found.role}` })
      }
      return found
    },

    async may(userId: UserId, botId: BotId, action: BotAction): Promise<boolean> {
      const found = await find(userId, botId)
      return found !== undefined && mayDo(found, action)
    },
  }
}
