import type { Audit, Recorded } from '../audit/audit.ts'
import { oneLine } from '../clean-text.ts'
import type { Clock } from '../clock.ts'
import type { BotId, SecretDigest, Secrets, UserId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { isPut } from '../put-outcome.ts'
import type { Collaborator, PutCollaboratorOutcome } from './bot.ts'
import { type Actor, botAuditEntry } from './bot-access.ts'
import { BotRefusal, parseAll, parseCapabilities } from './record-rules.ts'

type Invited = Pick<Collaborator, 'role' | 'capabilities'>

export interface NewInvitation extends Invited {
  botId: BotId
  /** The owner's description of the invited person. */
  label: string
  digest: SecretDigest
  expiresAtMs: number
}

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
  accepter: Accepter | undefined
}

export interface OpenedInvitation extends Invited {
  botId: BotId
  botName: string
  ownerName: string
  /** `null` until a user accepts. */
  acceptedBy: UserId | null
}

type AcceptOutcome = { kind: 'accepted'; botId: BotId } | { kind: 'works-already' } | undefined

type AddInvitationOutcome = 'added' | 'bot-unknown' | 'too-many'
type ConfirmOutcome = { kind: PutCollaboratorOutcome; collaborator: Collaborator } | { kind: 'unknown' }
/** Each method is one transaction. All but `revokeInvitation` ignore expired invitations and those of deleted bots. */
export interface InvitationStore {
  addInvitation: Recorded<[invitation: NewInvitation, limits: { atMost: number; nowMs: number }], AddInvitationOutcome>
  /** Oldest first. */
  listInvitations(botId: BotId, nowMs: number): Promise<Invitation[]>
  /** Returns `undefined` if another user accepted the invitation, as the next two methods do. */
  findInvitation(digest: SecretDigest, userId: UserId, nowMs: number): Promise<OpenedInvitation | undefined>
  /** Only the first account can accept, once. The bot's owner and collaborators get `works-already`. */
  acceptInvitation: Recorded<
    [digest: SecretDigest, userId: UserId, times: { nowMs: number; expiresAtMs: number }],
    AcceptOutcome
  >
  /** Removes the invitation. Returns the ID of its bot. */
  declineInvitation: Recorded<[digest: SecretDigest, userId: UserId, nowMs: number], BotId | undefined>
  /** Removes the invitation, even if it was accepted or has expired. */
  revokeInvitation: Recorded<[botId: BotId, number: number], boolean>
  /** Stores the collaborator and removes the invitation. Returns `unknown` if this user has accepted no such one. */
  confirmInvitation: Recorded<[botId: BotId, number: number, userId: UserId, nowMs: number], ConfirmOutcome>
}

/**
 * Invitations to collaborate on a bot. The owner shares a link, which a single account can accept. It has no access
 * until the owner confirms it; until then, either side can end the invitation. The caller checks ownership.
 */
export function createInvitations(parts: { store: InvitationStore; audit: Audit; secrets: Secrets; clock: Clock }) {
  const { store, audit, secrets, clock } = parts

  return {
    /**
     * Returns the token for the invitation's link.
     *
     * @throws BotRefusal `invited-missing`, `invited-too-long`, `capability-malformed`; `bot-unknown`,
     * `invitations-too-many`.
     */
    async make(botId: BotId, invited: Invited & { label: string }, by: Actor): Promise<{ clearTextToken: string }> {
      const label = oneLine(invited.label)
      if (label === '') throw new BotRefusal('invited-missing')
      if ([...label].length > limits.invitationLabelMaxCharacters) throw new BotRefusal('invited-too-long')
      const capabilities = parseAll((check) => check(parseCapabilities(invited.capabilities)))
      const { role } = invited
      const { clearText, digest } = secrets.make('oneTimeLink')
      const nowMs = clock.nowMs()
      const invitation = { botId, label, role, capabilities, digest, expiresAtMs: nowMs + limits.invitationLifetimeMs }
      const bounds = { atMost: limits.invitationsPerBot, nowMs }
      const entry = botAuditEntry('coworker-invited', botId, by, { role, capabilities: capabilities.join(' ') })
      const outcome = await store.addInvitation(invitation, bounds, audit.recordingOf('added', entry))
      if (outcome === 'too-many') throw new BotRefusal('invitations-too-many', { detail: `bot ${botId}` })
      if (outcome === 'bot-unknown') throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
      return { clearTextToken: clearText }
    },

    list: (botId: BotId) => store.listInvitations(botId, clock.nowMs()),

    open: (clearTextToken: string, userId: UserId): Promise<OpenedInvitation | undefined> =>
      secrets.findStored(clearTextToken, (digest) => store.findInvitation(digest, userId, clock.nowMs())),

    /** @throws BotRefusal `invitation-unknown`; `works-already` for the bot's owner and collaborators. */
    async accept(clearTextToken: string, by: Actor): Promise<void> {
      const nowMs = clock.nowMs()
      const times = { nowMs, expiresAtMs: nowMs + limits.invitationLifetimeMs }
      const recording = audit.recording((accepted: AcceptOutcome) =>
        accepted?.kind === 'accepted' ? botAuditEntry('invitation-accepted', accepted.botId, by, {}) : undefined,
      )
      const outcome = await secrets.findStored(clearTextToken, (digest) =>
        store.acceptInvitation(digest, by.userId, times, recording),
      )
      if (outcome?.kind !== 'accepted') throw new BotRefusal(outcome?.kind ?? 'invitation-unknown')
    },

    /** @throws BotRefusal `invitation-unknown`, also if another user accepted the invitation. */
    async decline(clearTextToken: string, by: Actor): Promise<void> {
      const recording = audit.recording(
        (botId: BotId | undefined) => botId && botAuditEntry('invitation-ended', botId, by, { how: 'declined' }),
      )
      const botId = await secrets.findStored(clearTextToken, (digest) =>
        store.declineInvitation(digest, by.userId, clock.nowMs(), recording),
      )
      if (botId === undefined) throw new BotRefusal('invitation-unknown')
    },

    revoke(botId: BotId, number: number, by: Actor): Promise<boolean> {
      const entry = botAuditEntry('invitation-ended', botId, by, { how: 'revoked' })
      return store.revokeInvitation(botId, number, audit.recordingOf(true, entry))
    },

    /**
     * @param userId the accepting user that was shown to the owner.
     * @throws BotRefusal `invitation-unknown`, also if a different user accepted; `user-is-owner`,
     * `collaborators-too-many`.
     */
    async confirm(botId: BotId, number: number, userId: UserId, by: Actor): Promise<void> {
      const recording = audit.recording((confirmed: ConfirmOutcome) => {
        if (!('collaborator' in confirmed) || !isPut(confirmed.kind)) return undefined
        const { role, capabilities } = confirmed.collaborator
        const detail = { coworker: userId, role, capabilities: capabilities.join(' ') }
        return botAuditEntry('coworker-put', botId, by, detail)
      })
      const outcome = await store.confirmInvitation(botId, number, userId, clock.nowMs(), recording)
      if (isPut(outcome.kind)) return
      const reason = outcome.kind === 'unknown' ? 'invitation-unknown' : outcome.kind
      throw new BotRefusal(reason, { detail: `bot ${botId}, invitation ${number}` })
    },
  }
}
