import type { Audit } from '../audit/audit.ts'
import { LastUsedTimes } from '../background-work.ts'
import { type Actor, type BotAccess, botAuditEntry } from '../bots/bot-access.ts'
import type { Bots } from '../bots/bots.ts'
import { sealedFor, signingSecrets } from '../bots/flows/flow.ts'
import type { SignatureSetting } from '../bots/flows/signature-setting.ts'
import type { Clock } from '../clock.ts'
import { type BotId, type FlowId, type Secrets, sameDigest } from '../ids-and-secrets.ts'
import { PartyBudgets } from '../limits/budget.ts'
import * as limits from '../limits/limits.ts'
import { Refusal } from '../refusal.ts'
import { dedupeMark } from './dedupe-mark.ts'
import type { AcceptOutcome, NewEvent, WebhookIntake } from './delivery-queue.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { ForwardedHeaders } from './event-log.ts'
import { type Listener, ListenerCache, type ListenerStore } from './listener.ts'
import type { RefusalLog } from './refusal-log.ts'
import { type RequestHeaders, type SignatureFault, signatureFault } from './signature-check.ts'
import { schemeOf, signedHeaders } from './signature-scheme.ts'

export type WebhookRefusalReason =
  | 'bot-unknown'
  | 'no-listener'
  | 'key-rejected'
  | 'signature-rejected'
  | 'secret-unreadable'
  | 'queue-full'
  | 'gateway-unavailable'

export type SenderFault = 'key-missing' | 'key-wrong' | SignatureFault

export class WebhookRefusal extends Refusal<WebhookRefusalReason, { flowId: FlowId; fault: SenderFault }> {}

/** Its listener has been found and its key has been checked. */
export interface AdmittedWebhook {
  path: string
  headers: ForwardedHeaders
  requestHeaders: RequestHeaders
  clearTextKey: string | undefined
  clientIp: string
  body: Uint8Array
}

export type Webhooks = ReturnType<typeof createWebhooks>

/** Accepts webhooks: finds the listener, checks the key and the signature, and stores the event. */
export function createWebhooks(parts: {
  listeners: ListenerStore
  queue: Pick<WebhookIntake, 'accept' | 'enqueue'>
  secrets: Secrets
  access: BotAccess
  audit: Audit
  clock: Clock
}) {
  const { queue, secrets, access, audit, clock, listeners } = parts
  const keyUses = new LastUsedTimes()
  const cache = new ListenerCache({ listeners, clock })
  const sealed = signingSecrets(secrets)
  const marks = new PartyBudgets(limits.dedupeMarksPerBot, limits.webhookListenersCachedMax)

  async function admitByReading(botId: BotId, path: string, clearTextKey: string | undefined): Promise<Listener> {
    const listener = await cache.read(botId, path)
    if (typeof listener === 'string') {
      const reason = listener === 'bot-unknown' ? 'bot-unknown' : 'no-listener'
      throw new WebhookRefusal(reason, { detail: `bot ${botId}, path ${path}` })
    }
    if (acceptsKey(listener, clearTextKey)) return listener
    const fault = clearTextKey === undefined ? 'key-missing' : 'key-wrong'
    throw new WebhookRefusal('key-rejected', { flowId: listener.flowId, fault, detail: `bot ${botId}, path ${path}` })
  }

  async function admitSigned(listener: Listener, webhook: AdmittedWebhook): Promise<Listener> {
    if (faultOf(listener, webhook) === undefined) return listener
    const { botId } = listener
    const { path, clearTextKey } = webhook
    const current = await admitByReading(botId, path, clearTextKey)
    const fault = faultOf(current, webhook)
    if (fault === undefined) return current
    throw signatureRefusal(current, path, fault)
  }

  function faultOf(listener: Listener, { requestHeaders: headers, body }: AdmittedWebhook) {
    const { signature, previousSigningSecret: previous, previousSecretEndsAtMs: endsAtMs } = listener
    if (signature === null) return undefined
    const [scheme, nowMs] = [schemeOf(signature), clock.nowMs()]
    const check = (key: string | undefined) =>
      key === undefined ? 'secret-unreadable' : signatureFault(scheme, key, { headers, body }, nowMs)
    const fault = check(keyOf(listener, signature))
    if (fault === undefined || previous === null || nowMs >= (endsAtMs ?? 0)) return fault
    return check(decrypt(listener, previous)) === undefined ? undefined : fault
  }

  /** Returns `undefined` if the secret can't be decrypted. */
  function keyOf(listener: Listener, signature: SignatureSetting): string | undefined {
    return signature.preset === 'discord' ? signature.publicKey : decrypt(listener, listener.signingSecret)
  }

  function decrypt({ botId, flowId }: Listener, secret: Uint8Array | null): string | undefined {
    return secret === null ? undefined : sealed.find(secret, sealedFor(botId, flowId))
  }

  function acceptsKey({ keys }: Listener, clearTextKey: string | undefined): boolean {
    if (keys === undefined) return true
    if (clearTextKey === undefined) return false
    const nowMs = clock.nowMs()
    const key = secrets.find(clearTextKey, (presented) =>
      keys.find(({ digest, endsAtMs }) => (endsAtMs === null || nowMs < endsAtMs) && sameDigest(presented, digest)),
    )
    if (key !== undefined) keyUses.record(key.number, nowMs)
    return key !== undefined
  }

  return {
    marks,

    /**
     * Finds the flow that listens on the path, and checks the key if the flow requires one. Before rejecting a webhook,
     * re-reads the store, so that a new flow, key or path works immediately.
     *
     * @param path an empty path has no flow.
     * @param admitted the result of an earlier call for this webhook. It is returned again while it is cached.
     * @throws WebhookRefusal `bot-unknown`, `no-listener`, `key-rejected`.
     */
    admit(
      botId: BotId,
      path: string,
      clearTextKey: string | undefined,
      admitted?: Listener,
    ): Listener | Promise<Listener> {
      const cached = cache.recall(botId, path)
      if (cached !== undefined && (cached === admitted || acceptsKey(cached, clearTextKey))) return cached
      return admitByReading(botId, path, clearTextKey)
    },

    /**
     * Resolves once the event is durable: it survives `kill -9` and a power loss. A duplicate resolves as usual but
     * adds no event. Duplicates aren't detected while the bot has used up its share of marks.
     *
     * If the signature check fails, re-reads the store and repeats both checks before rejecting the webhook.
     *
     * @throws WebhookRefusal `signature-rejected`, `secret-unreadable`, `bot-unknown`, `no-listener`, `key-rejected`,
     * `queue-full`, `gateway-unavailable`.
     */
    async accept(admitted: Listener, webhook: AdmittedWebhook): Promise<void> {
      const listener = admitted.signature === null ? admitted : await admitSigned(admitted, webhook)
      const event = eventOf(listener, webhook, clock.nowMs())
      const { botId, acceptedAtMs } = event
      const mark = marks.left(botId, acceptedAtMs) < 1 ? undefined : markOf(listener, webhook, acceptedAtMs)
      const outcome = await queue.accept(event, mark)
      if (mark !== undefined && outcome.kind === 'accepted') {
        marks.spend(botId, (mark.untilMs - acceptedAtMs) / (1_000 * limits.dedupeWindowMaxSeconds), acceptedAtMs)
      }
      if (outcome.kind === 'full' || outcome.kind === 'unavailable') throw refusalOf(listener, outcome)
    },

    /**
     * Accepts a test webhook from the bot's owner or collaborators, without key and deduplication. If the flow checks
     * signatures, signs it with the flow's secret first; but not for Discord, which would need Discord's private key.
     * Resolves with the event's ID, once the test is audited.
     *
     * @throws BotRefusal `not-allowed`, if the flow checks keys or signatures and the user may not change its keys;
     * WebhookRefusal `no-listener`, `signature-rejected`, `secret-unreadable`, `queue-full`, `gateway-unavailable`.
     */
    async acceptTest(
      by: Actor,
      botId: BotId,
      webhook: Omit<AdmittedWebhook, 'requestHeaders' | 'clearTextKey'>,
    ): Promise<string> {
      const listener = await cache.read(botId, webhook.path)
      if (typeof listener === 'string') throw new WebhookRefusal('no-listener', { detail: `bot ${botId}` })
      const { flowId, signature } = listener
      await access.demand(by.userId, botId, 'change-flows')
      // A test passes the key and the signature, so it takes the right to replace them.
      const isProtected = listener.keys !== undefined || signature !== null
      if (isProtected) await access.demand(by.userId, botId, 'change-keys')
      if (signature !== null && signature.preset !== 'discord') {
        const scheme = schemeOf(signature)
        const key = keyOf(listener, signature)
        const requestHeaders = key === undefined ? {} : signedHeaders(scheme, key, webhook.body, clock.nowMs())
        const fault = faultOf(listener, { ...webhook, requestHeaders, clearTextKey: undefined })
        if (fault !== undefined) throw signatureRefusal(listener, webhook.path, fault)
      }
      const outcome = await queue.enqueue({ ...eventOf(listener, webhook, clock.nowMs()), test: true })
      if (outcome.kind !== 'accepted') throw refusalOf(listener, outcome)
      await audit.record(botAuditEntry('webhook-tested', botId, by, { flow: flowId, event: outcome.id }))
      return outcome.id
    },

    find: (botId: BotId, path: string) => cache.read(botId, path),

    /** Without this call, a change takes effect within five seconds. */
    forget: (botId: BotId) => {
      cache.forget(botId)
    },

    recordKeyUse: () => keyUses.flush((lastUsedAtMs) => listeners.recordKeyUse(lastUsedAtMs)),
  }
}

/** Applies bot changes to the gateway. Returns a function that unsubscribes. */
export function followBots(parts: {
  bots: Pick<Bots, 'discardOfDeleted' | 'changes'>
  webhooks: Webhooks
  dispatcher: Pick<Dispatcher, 'wake'>
  refusalLog: RefusalLog
  onFault: (error: unknown, doing: string) => void
}): () => void {
  const { bots, webhooks, dispatcher, refusalLog, onFault } = parts
  return bots.changes.onBot((botId) => {
    webhooks.forget(botId)
    // A flush drops a deleted bot's refusals, so that a later bot with the same ID doesn't show them.
    refusalLog.flush(botId).catch((error) => onFault(error, 'refused webhook flush'))
    bots.discardOfDeleted(botId, 'keep').catch((error) => onFault(error, 'event removal of a deleted bot'))
    // Events of a flow that is no longer in strict order can be delivered.
    dispatcher.wake(botId)
  })
}

function eventOf(
  { botId, flowId, ordered }: Listener,
  { path, headers, clientIp, body }: Pick<AdmittedWebhook, 'path' | 'headers' | 'clientIp' | 'body'>,
  acceptedAtMs: number,
): NewEvent {
  return { botId, flowId, path, headers, clientIp, body, acceptedAtMs, ordered }
}

function signatureRefusal({ botId, flowId }: Listener, path: string, fault: SignatureFault | 'secret-unreadable') {
  if (fault !== 'secret-unreadable') {
    return new WebhookRefusal('signature-rejected', { flowId, fault, detail: `bot ${botId}, path ${path}` })
  }
  const cause = new Error(`cannot decrypt the secret of ${sealedFor(botId, flowId)}; was SECRET_KEY changed?`)
  return new WebhookRefusal(fault, { flowId, cause })
}

function refusalOf({ botId, flowId }: Listener, outcome: Extract<AcceptOutcome, { kind: 'full' | 'unavailable' }>) {
  if (outcome.kind === 'unavailable') return new WebhookRefusal('gateway-unavailable', { cause: outcome.cause })
  const limit = outcome.of === 'bot' ? 'the bot' : 'the whole queue'
  return new WebhookRefusal('queue-full', { flowId, detail: `limit of ${limit}, bot ${botId}` })
}

function markOf(listener: Listener, { requestHeaders: headers, body }: AdmittedWebhook, acceptedAtMs: number) {
  return listener.dedupe === null ? undefined : dedupeMark(listener, listener.dedupe, { headers, body }, acceptedAtMs)
}
