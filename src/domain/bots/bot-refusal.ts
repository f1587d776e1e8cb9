import { Refusal } from '../refusal.ts'

/** What can be wrong with what is said of a bot, its coworkers, its servers, its flows or a runtime. */
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
  | 'webhook-key-malformed'
  | 'log-message-malformed'
  | 'notice-too-long'
  | 'signature-preset-unknown'
  | 'signature-member-unwanted'
  | 'signature-secret-malformed'
  | 'signature-public-key-malformed'
  | 'signature-header-malformed'
  | 'signature-hash-unknown'
  | 'signature-encoding-unknown'
  | 'signature-prefix-malformed'
  | 'dedupe-needs-one-place'
  | 'dedupe-header-malformed'
  | 'dedupe-pointer-malformed'
  | 'dedupe-window-malformed'

export type BotRefusalReason =
  | BotFaultReason
  | 'bot-unknown'
  /** The user has a part in the bot, but may not do this. */
  | 'not-allowed'
  | 'owner-unknown'
  | 'user-unknown'
  | 'user-is-owner'
  | 'invited-missing'
  | 'invited-too-long'
  | 'invitations-too-many'
  /** The link is unknown, or its invitation has ended. */
  | 'invitation-unknown'
  /** The user owns the bot or works on it. */
  | 'works-already'
  | 'runtime-unknown'
  | 'runtime-bot-unknown'
  | 'runtimes-too-many'
  | 'webhook-needs-event-flow'
  | 'chat-platform-id-taken'
  | 'webhook-path-taken'
  /** A shared secret is needed, and neither given nor stored. */
  | 'signature-secret-missing'
  | 'flow-unknown'
  | 'webhook-missing'
  | 'key-unknown'
  | 'key-needed'

/** An expected "no" of the bots room. */
export class BotRefusal extends Refusal<BotRefusalReason> {
  /** Every fault of what was given; the first one is `reason`. */
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
