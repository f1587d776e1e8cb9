import type { BotId, FlowId } from '../ids.ts'
import type { SecretDigest } from '../secret.ts'

/** The event flow that listens for webhooks on one path of one bot. */
export interface Listener {
  botId: BotId
  flowId: FlowId
  /** Undefined: the flow requires no key. */
  keyDigest: SecretDigest | undefined
  /** Its events are handed out one after the other. */
  ordered: boolean
}

export interface ListenerStore {
  /** The flow listening there as of now, of a bot that is not deleted. Its hosting may be off. */
  findListener(botId: BotId, path: string): Promise<Listener | undefined>
}
