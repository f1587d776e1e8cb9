import type { BotId, UserId } from '../ids.ts'
import type { SecretDigest } from '../secret.ts'
import type { Coworker } from './bot.ts'
import type { PutCoworkerOutcome } from './bot-store.ts'

/** What the invited person may do once the owner has confirmed them. */
type Invited = Pick<Coworker, 'role' | 'capabilities'>

export interface NewInvitation extends Invited {
  botId: BotId
  /** Whom the owner means, in their own words. */
  label: string
  digest: SecretDigest
  expiresAtMs: number
}

/** An account that accepted an invitation, as the owner sees it before confirming. */
export interface Accepter {
  userId: UserId
  name: string
  email: string | null
  emailVerified: boolean
}

/** An invitation as the owner sees it. */
export interface Invitation extends Invited {
  number: number
  label: string
  expiresAtMs: number
  /** Undefined while nobody has used the link. */
  accepter: Accepter | undefined
}

/** An invitation as the person sees it who holds its link. */
export interface OpenedInvitation extends Invited {
  botId: BotId
  botName: string
  ownerName: string
  /** Undefined while nobody has used the link. */
  acceptedBy: UserId | undefined
}

export type AcceptOutcome = { kind: 'accepted'; botId: BotId } | { kind: 'unknown' } | { kind: 'works-already' }

/**
 * Invitations to work on a bot. Each method is one transaction. An invitation that expired, or whose bot is deleted, is
 * found by none of them.
 */
export interface InvitationStore {
  /** Stores the invitation, unless the bot has `atMost` already. */
  addInvitation(
    invitation: NewInvitation,
    limits: { atMost: number; nowMs: number },
  ): Promise<'added' | 'bot-unknown' | 'too-many'>
  /** The oldest first. */
  listInvitations(botId: BotId, nowMs: number): Promise<Invitation[]>
  findInvitation(digest: SecretDigest, nowMs: number): Promise<OpenedInvitation | undefined>
  /**
   * Notes who accepts, and until when the owner may confirm. The first account to accept uses the link up; for every other one
   * it is unknown from then on. `works-already` for the owner and for who works on the bot: it changes nothing.
   */
  acceptInvitation(
    digest: SecretDigest,
    userId: UserId,
    times: { nowMs: number; expiresAtMs: number },
  ): Promise<AcceptOutcome>
  /** Removes an invitation that nobody, or this user, accepted. Returns its bot, or `undefined` when there is none. */
  declineInvitation(digest: SecretDigest, userId: UserId, nowMs: number): Promise<BotId | undefined>
  /** Removes the invitation. False when the bot has none with this number. */
  revokeInvitation(botId: BotId, number: number): Promise<boolean>
  /** Lets the user who accepted work on the bot and removes the invitation. `unknown` also when another user accepted. */
  confirmInvitation(
    botId: BotId,
    number: number,
    userId: UserId,
    nowMs: number,
  ): Promise<{ kind: PutCoworkerOutcome; coworker: Coworker } | { kind: 'unknown' }>
  /** Deletes at most `atMost` invitations that expired; returns how many. */
  deleteExpiredInvitations(nowMs: number, atMost: number): Promise<number>
}
