import type { BotId, FlowId } from '../../ids.ts'
import { SealedTexts } from '../../sealed-text.ts'
import type { Secrets } from '../../secret.ts'

/** Returns the cipher for the secrets with which senders sign webhooks. */
export function signingSecrets(secrets: Secrets): SealedTexts {
  return new SealedTexts(secrets.keysFor('signing secrets of senders'))
}

/** Returns the subject to which a flow's encrypted signing secret is bound. */
export function sealedFor(botId: BotId, flowId: FlowId): string {
  return `bot ${botId}, flow ${flowId}`
}
