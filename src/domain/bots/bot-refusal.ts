import { Refusal } from '../refusal.ts'

/** Validation errors for bots, collaborators, servers, flows and runtimes. */
export type BotFaultReason =
  | 'name-missing'
  | 'name-too-long'
  | 'chat-platform-id-malformed'
  | 'avatar-malformed'
  | 'plan-malformed'
  | 'kind-malformed'
  | 'public-code-malformed'
  | 'capability-malformed'
  | 'guild-id-malformed'
  | 'webhook-path-malformed'
  | 'webhook-path-has-dots'
  | 'webhook-key-malformed'
  | 'log-message-malformed'
  | 'notice-too-long'
  | 'signature-preset-unknown'
  | 'signature-member-unwanted'
  | 'signature-secret-malformed'
  | 'signature-secret-not-standard'
  | 'signature-public-key-malformed'
  | 'signature-public-key-invalid'
  | 'signature-header-malformed'
  | 'signature-hash-unknown'
  | 'signature-encoding-unknown'
  | 'signature-prefix-malformed'
  | 'signature-signed-malformed'
  | 'signature-timestamp-unclear'
  | 'dedupe-needs-one-place'
  | 'dedupe-header-malformed'
  | 'dedupe-pointer-malformed'
  | 'dedupe-window-malformed'

export type BotRefusalReason =
  | BotFaultReason
  | 'bot-unknown'
  /** The user has a role in the bot, but the role doesn't permit the action. */
  | 'not-allowed'
  | 'owner-unknown'
  | 'user-unknown'
  | 'user-is-owner'
  | 'invited-missing'
  | 'invited-too-long'
  | 'invitations-too-many'
  | 'invitation-unknown'
  | 'works-already'
  | 'runtime-unknown'
  | 'runtime-bot-unknown'
  | 'runtime-needs-bot'
  | 'runtimes-too-many'
  | 'email-unconfirmed'
  | 'webhook-needs-event-flow'
  | 'chat-platform-id-taken'
  | 'webhook-path-taken'
  /** A shared secret is required, but none was given or stored. */
  | 'signature-secret-missing'
  | 'flow-unknown'
  | 'flows-too-many'
  /** Owners can't create or remove flows, because the operator has not allowed it. */
  | 'flows-managed-by-operator'
  | 'webhook-missing'
  | 'key-unknown'
  | 'key-needed'

export class BotRefusal extends Refusal<BotRefusalReason> {
  /** All validation errors in the input. `reason` is the first one. */
  readonly reasons: readonly BotRefusalReason[]

  constructor(
    reasons: BotRefusalReason | readonly [BotRefusalReason, ...BotRefusalReason[]],
    context: { detail?: string } = {},
  ) {
    const all = typeof reasons === 'string' ? ([reasons] as const) : reasons
    super(all[0], context)
    this.reasons = all
  }
}
