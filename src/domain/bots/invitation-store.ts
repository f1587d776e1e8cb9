import type { Recording } from '../audit/audit-event.ts'
import type { BotId, UserId } from '../ids.ts'
import type { SecretDigest } from '../secret.ts'
import type { Coworker } from './bot.ts'
import type { PutCoworkerOutcome } from './bot-store.ts'

/** Role and capabilities that the invited person gets once the owner confirms. */
type Invited = Pick<Coworker, 'role' | 'capabilities'>

export interface NewInvitation extends Invited {
  botId: BotId
  /** The owner's free-text description of the invited person. */
  label: string
  digest: SecretDigest
  expiresAtMs: number
}

/** The account that accepted an invitation, as shown to the owner before confirming. */
export interface Accepter {
  userId: UserId
  name: string
  email: string | null
  emailVerified: boolean
}

export interface Invitation extends Invited {
  number: number
  label: string
  expiresAtMs: number
  /** The account that accepted the invitation. `undefined` until a user accepts. */
  accepter: Accepter | undefined
}

/** An invitation as shown on the page that its link opens. */
export interface OpenedInvitation extends Invited {
  botId: BotId
  botName: string
  ownerName: string
  /** The account that accepted the invitation. `undefined` until a user accepts. */
  acceptedBy: UserId | undefined
}

export type AcceptOutcome = { kind: 'accepted'; botId: BotId } | { kind: 'unknown' } | { kind: 'works-already' }

export type AddInvitationOutcome = 'added' | 'bot-unknown' | 'too-many'
export type ConfirmOutcome = { kind: PutCoworkerOutcome; coworker: Coworker } | { kind: 'unknown' }
/**
 * Stores invitations to work on a bot. Each method is one transaction. Invitations that have expired, or whose bot is
 * deleted, can't be listed, found, accepted, declined or confirmed.
 */
export interface InvitationStore {
  /** Stores the invitation, unless the bot already has `atMost` invitations that haven't expired. */
  addInvitation(
    invitation: NewInvitation,
    limits: { atMost: number; nowMs: number },
    recording?: Recording<AddInvitationOutcome>,
  ): Promise<AddInvitationOutcome>
  /** Returns the bot's invitations, oldest first. */
  listInvitations(botId: BotId, nowMs: number): Promise<Invitation[]>
  findInvitation(digest: SecretDigest, nowMs: number): Promise<OpenedInvitation | undefined>
  /**
   * Records the account that accepts the invitation, and the owner's deadline for confirming it.
   *
   * Only the first account can accept; any other gets `unknown`. For the bot's owner and collaborators, returns
   * `works-already` without changing anything.
   */
  acceptInvitation(
    digest: SecretDigest,
    userId: UserId,
    times: { nowMs: number; expiresAtMs: number },
    recording?: Recording<AcceptOutcome>,
  ): Promise<AcceptOutcome>
  /**
   * Removes an invitation unless another user accepted it. Returns the ID of its bot, or `undefined` if nothing was
   * removed.
   */
  declineInvitation(
    digest: SecretDigest,
    userId: UserId,
    nowMs: number,
    recording?: Recording<BotId | undefined>,
  ): Promise<BotId | undefined>
  /** Removes the invitation, even if it was accepted or has expired. Returns false if there is no such invitation. */
  revokeInvitation(botId: BotId, number: number, recording?: Recording<boolean>): Promise<boolean>
  /**
   * Adds the user who accepted the invitation as a collaborator, and removes the invitation. Returns `unknown` if there
   * is no such invitation, or if a different user accepted it.
   */
  confirmInvitation(
    botId: BotId,
    number: number,
    userId: UserId,
    nowMs: number,
    recording?: Recording<ConfirmOutcome>,
  ): Promise<ConfirmOutcome>
  /** Deletes at most `atMost` expired invitations. Returns the number deleted. */
  deleteExpiredInvitations(nowMs: number, atMost: number): Promise<number>
}
