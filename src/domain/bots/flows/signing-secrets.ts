import type { BotId, FlowId } from '../../ids.ts'
import { SealedTexts } from '../../sealed-text.ts'
import type { Secrets } from '../../secret.ts'

/** Encrypts and decrypts the secrets that senders sign with. */
export function signingSecrets(secrets: Secrets): SealedTexts {
  return new SealedTexts(secrets.keysFor('signing secrets of senders'))
}

/** Returns the subject that a flow's encrypted signing secret is bound to. */
export function sealedFor(botId: BotId, flowId: FlowId): string {
  return `bot ${botId}, flow ${flowId}`
}
