import { sealedFor, signingSecrets } from '../bots/flows/flows.ts'
import type { Clock } from '../clock.ts'
import type { BotId } from '../ids.ts'
import { LastUsedTimes } from '../last-times.ts'
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

/** A webhook whose listener has been found and whose key has been checked. */
export interface AdmittedWebhook {
  path: string
  headers: ForwardedHeaders
  requestHeaders: RequestHeaders
  clearTextKey: string | undefined
  clientIp: string
  body: Uint8Array
}

/** Accepts webhooks: finds the listener, checks the key and the signature, and stores the event. */
export class Webhooks {
  readonly #listeners: ListenerCache
  readonly #queue: Pick<WebhookIntake, 'accept'>
  readonly #secrets: Secrets
  readonly #sealed: SealedTexts
  readonly #clock: Clock
  readonly #keyUses = new LastUsedTimes()
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
   * Finds the flow that listens on the path, and checks the key if the flow requires one.
   *
   * A cached listener can only accept. A rejection always re-reads the store, so a new flow, key or path works
   * immediately.
   *
   * @throws WebhookRefusal `no-listener`, `key-rejected`.
   */
  admit(botId: BotId, path: string, clearTextKey: string | undefined): Listener | Promise<Listener> {
    const cached = this.#listeners.recall(botId, path)
    if (cached !== undefined && this.#acceptsKey(cached, clearTextKey)) return cached
    return this.#admitByReading(botId, path, clearTextKey)
  }

  /**
   * Resolves once the event is durable: it survives `kill -9` and a power loss.
   *
   * First checks the signature if the flow requires one. As in `admit`, a cached listener can only accept. If the flow
   * deduplicates webhooks, the call for a duplicate resolves as usual but adds no event.
   *
   * @throws WebhookRefusal `signature-rejected`, or like {@link admit}; `queue-full`, `gateway-unavailable`.
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
          detail: `limit of ${outcome.of === 'bot' ? 'the bot' : 'the whole queue'}, bot ${botId}`,
        })
      case 'unavailable':
        throw new WebhookRefusal('gateway-unavailable', { cause: outcome.cause })
    }
  }

  /**
   * Accepts a test webhook from the bot's owner or collaborators. Skips the key check, the signature check and
   * deduplication.
   *
   * @throws WebhookRefusal `no-listener`, `queue-full`, `gateway-unavailable`.
   */
  async acceptTest(botId: BotId, webhook: AdmittedWebhook): Promise<void> {
    const listener = await this.#listeners.read(botId, webhook.path)
    if (listener === undefined) throw new WebhookRefusal('no-listener', { detail: `bot ${botId}` })
    await this.accept({ ...listener, signature: undefined, dedupe: undefined }, webhook)
  }

  /** Invalidates the bot's cached listeners. Without this call, a change takes effect within five seconds. */
  forget(botId: BotId): void {
    this.#listeners.forget(botId)
  }

  /** Stores the last-use times of keys that were recorded since the previous call. */
  recordKeyUse(): Promise<void> {
    return this.#keyUses.flush(this.#recordKeyUse)
  }

  async #admitByReading(botId: BotId, path: string, clearTextKey: string | undefined): Promise<Listener> {
    const listener = await this.#listeners.read(botId, path)
    if (listener === undefined) throw new WebhookRefusal('no-listener', { detail: `bot ${botId}, path ${path}` })
    if (this.#acceptsKey(listener, clearTextKey)) return listener
    throw new WebhookRefusal('key-rejected', { detail: `bot ${botId}, path ${path}` })
  }

  async #admitSigned(listener: Listener, webhook: AdmittedWebhook): Promise<Listener> {
    if (this.#isSigned(listener, webhook)) return listener
    const { botId } = listener
    const { path, clearTextKey } = webhook
    const current = await this.#admitByReading(botId, path, clearTextKey)
    if (this.#isSigned(current, webhook)) return current
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

  #acceptsKey({ keys }: Listener, clearTextKey: string | undefined): boolean {
    if (keys === undefined) return true
    if (clearTextKey === undefined) return false
    const nowMs = this.#clock.nowMs()
    const key = this.#secrets.find(clearTextKey, (presented) =>
      keys.find(({ digest, endsAtMs }) => (endsAtMs === null || nowMs < endsAtMs) && sameDigest(presented, digest)),
    )
    if (key !== undefined) this.#keyUses.record(key.number, nowMs)
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
