import type { AuditEntry, Origin } from '../audit/audit.ts'
import type { BotId, UserId } from '../ids.ts'
import type { Bot, BotStore, Role } from './bot.ts'
import { BotRefusal } from './bot-refusal.ts'

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
interface BotMembership {
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

/** The user who makes a change, and the origin of the request. */
export interface Actor {
  userId: UserId
  origin: Origin
}

/** Returns the audit entry for the actor's change to the bot. */
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

/**
 * Checks what a user may do with a bot, based on the stored state. Every action on the bot pages starts with this
 * check.
 */
export class BotAccess {
  readonly #bots: BotStore

  constructor(bots: BotStore) {
    this.#bots = bots
  }

  /**
   * Returns the bot and the user's role if the user may perform the action.
   *
   * @throws BotRefusal `bot-unknown` if the bot does not exist or the user has no role in it, so that the two cases are
   * indistinguishable; `not-allowed` if the user's role doesn't permit the action.
   */
  async demand(userId: UserId, botId: BotId, action: BotAction): Promise<AccessibleBot> {
    const bot = await this.#bots.findBot(botId)
    const standing = bot && (await this.#standing(userId, bot))
    if (bot === undefined || standing === undefined) {
      throw new BotRefusal('bot-unknown', { detail: `bot ${botId}, user ${userId}` })
    }
    if (!mayDo(standing, action)) {
      throw new BotRefusal('not-allowed', { detail: `${action}, bot ${botId}, user ${userId}, ${standing.role}` })
    }
    return { bot, ...standing }
  }

  async may(userId: UserId, botId: BotId, action: BotAction): Promise<boolean> {
    const bot = await this.#bots.findBot(botId)
    const standing = bot && (await this.#standing(userId, bot))
    return standing !== undefined && mayDo(standing, action)
  }

  async #standing(userId: UserId, { id, ownerId }: Bot): Promise<BotMembership | undefined> {
    if (ownerId === userId) return { role: 'owner', capabilities: [] }
    const collaborator = await this.#bots.findCollaborator(id, userId)
    return collaborator && { role: collaborator.role, capabilities: collaborator.capabilities }
  }
}
