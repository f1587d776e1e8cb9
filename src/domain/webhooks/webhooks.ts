import { sealedFor, signingSecrets } from '../bots/flows/flows.ts'
import type { Clock } from '../clock.ts'
import type { BotId } from '../ids.ts'
import { LastTimes } from '../last-times.ts'
import { Refusal } from '../refusal.ts'
import type { SealedTexts } from '../sealed-text.ts'
import { type Secrets, sameDigest } from '../secret.ts'
import { type DedupeMark, dedupeMark } from './dedupe-mark.ts'
import type { WebhookIntake } from './delivery-queue.ts'
import type { Listener, ListenerStore } from './listener.ts'
import { ListenerCache } from './listener-cache.ts'
import type { ForwardedHeaders, RequestHeaders } from './request-headers.ts'
import { isSigned } from './signature-check.ts'
import { schemeOf } from './signature-scheme.ts'

export type WebhookRefusalReason =
  | 'no-listener'
  | 'key-rejected'
  | 'signature-rejected'
  | 'queue-full'
  | 'gateway-unavailable'

export class WebhookRefusal extends Refusal<WebhookRefusalReason> {}

/** A webhook for which a listener was found and its key checked. */
export interface AdmittedWebhook {
  path: string
  headers: ForwardedHeaders
  /** All of them. */
  requestHeaders: RequestHeaders
  clearTextKey: string | undefined
  clientIp: string
  body: Uint8Array
}

/** The way in: who listens, whether the caller may, and durable acceptance. */
export class Webhooks {
  readonly #listeners: ListenerCache
  readonly #queue: Pick<WebhookIntake, 'accept'>
  readonly #secrets: Secrets
  readonly #sealed: SealedTexts
  readonly #clock: Clock
  readonly #keyUses = new LastTimes()
  readonly #recordKeyUse: ListenerStore['recordKeyUse']

  constructor(parts: {
    listeners: ListenerStore
    queue: Pick<WebhookIntake, 'accept'>
    secrets: Secrets
    clock: Clock
  }) {
    this.#listeners = new ListenerCache({ listeners: parts.listeners, clock: parts.clock })
    this.#recordKeyUse = (lastUsedAtMs) => parts.listeners.recordKeyUse(lastUsedAtMs)
    this.#queue = parts.queue
    this.#secrets = parts.secrets
    this.#sealed = signingSecrets(parts.secrets)
    this.#clock = parts.clock
  }

  /**
   * Finds the flow that listens on the path and checks the key, where the flow requires one. What is remembered
   * may admit, and at once; only what is read now refuses: a flow, key or path made a moment ago works.
   *
   * @throws WebhookRefusal `no-listener`, `key-rejected`.
   */
  admit(botId: BotId, path: string, clearTextKey: string | undefined): Listener | Promise<Listener> {
    const remembered = this.#listeners.recall(botId, path)
    if (remembered !== undefined && this.#opens(remembered, clearTextKey)) return remembered
    return this.#admitByReading(botId, path, clearTextKey)
  }

  /**
   * Resolves once the event would survive `kill -9` and loss of power; it is dispatched from there.
   *
   * A signature is checked before, where the flow asks for one; again, what is remembered only admits. Where the flow
   * knows repetitions, one of them is taken as the first one was, without becoming a second event.
   *
   * @throws WebhookRefusal `signature-rejected`, or as {@link admit}; `queue-full`, `gateway-unavailable`.
   */
  async accept(admitted: Listener, webhook: AdmittedWebhook): Promise<void> {
    const listener = admitted.signature === undefined ? admitted : await this.#admitSigned(admitted, webhook)
    const { botId, flowId, ordered } = listener
    const { path, headers, clientIp, body } = webhook
    const acceptedAtMs = this.#clock.nowMs()
    const event = { botId, flowId, path, headers, clientIp, body, acceptedAtMs, ordered }
    const outcome = await this.#queue.accept(event, markOf(listener, webhook, acceptedAtMs))
    switch (outcome.kind) {
      case 'accepted':
      case 'repeated':
        return
      case 'full':
        throw new WebhookRefusal('queue-full', {
          detail: `${outcome.of === 'bot' ? 'its own' : 'the whole'}, bot ${botId}`,
        })
      case 'unavailable':
        throw new WebhookRefusal('gateway-unavailable', { cause: outcome.cause })
    }
  }

  /**
   * As `accept`, for a webhook by which the bot's own people try the flow: they need no key and sign nothing,
   * and no test repeats another.
   *
   * @throws WebhookRefusal `no-listener`, `queue-full`, `gateway-unavailable`.
   */
  async acceptTest(botId: BotId, webhook: AdmittedWebhook): Promise<void> {
    const listener = await this.#listeners.read(botId, webhook.path)
    if (listener === undefined) throw new WebhookRefusal('no-listener', { detail: `bot ${botId}` })
    await this.accept({ ...listener, signature: undefined, dedupe: undefined }, webhook)
  }

  /** Something about the bot changed: its listeners are read anew. Without this a change is seen within 5 s. */
  forget(botId: BotId): void {
    this.#listeners.forget(botId)
  }

  /** Stores when keys were last used, as it was noted since the last time. */
  recordKeyUse(): Promise<void> {
    return this.#keyUses.flush(this.#recordKeyUse)
  }

  async #admitByReading(botId: BotId, path: string, clearTextKey: string | undefined): Promise<Listener> {
    const listener = await this.#listeners.read(botId, path)
    if (listener === undefined) throw new WebhookRefusal('no-listener', { detail: `bot ${botId}, path ${path}` })
    if (this.#opens(listener, clearTextKey)) return listener
    throw new WebhookRefusal('key-rejected', { detail: `bot ${botId}, path ${path}` })
  }

  async #admitSigned(listener: Listener, webhook: AdmittedWebhook): Promise<Listener> {
    if (this.#isSigned(listener, webhook)) return listener
    const { botId } = listener
    const { path, clearTextKey } = webhook
    const asOfNow = await this.#admitByReading(botId, path, clearTextKey)
    if (this.#isSigned(asOfNow, webhook)) return asOfNow
    throw new WebhookRefusal('signature-rejected', { detail: `bot ${botId}, path ${path}` })
  }

  #isSigned({ botId, flowId, signature }: Listener, { requestHeaders: headers, body }: AdmittedWebhook): boolean {
    if (signature === undefined) return true
    const { setting, sealedSecret } = signature
    const key =
      setting.preset === 'discord'
        ? setting.publicKey
        : this.#sealed.open(sealedSecret ?? new Uint8Array(), sealedFor(botId, flowId))
    return isSigned(schemeOf(setting), key, { headers, body }, this.#clock.nowMs())
  }

  #opens({ keys }: Listener, clearTextKey: string | undefined): boolean {
    if (keys === undefined) return true
    if (clearTextKey === undefined) return false
    const nowMs = this.#clock.nowMs()
    const key = this.#secrets.find(clearTextKey, (presented) =>
      keys.find(({ digest, endsAtMs }) => (endsAtMs === null || nowMs < endsAtMs) && sameDigest(presented, digest)),
    )
    if (key !== undefined) this.#keyUses.note(key.number, nowMs)
    return key !== undefined
  }
}

function markOf(
  { flowId, dedupe }: Listener,
  { requestHeaders: headers, body }: AdmittedWebhook,
  acceptedAtMs: number,
): DedupeMark | undefined {
  return dedupe && dedupeMark(flowId, dedupe, { headers, body }, acceptedAtMs)
}
