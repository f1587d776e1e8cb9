import type { Clock } from '../clock.ts'
import type { BotId } from '../ids.ts'
import { LastTimes } from '../last-times.ts'
import { Refusal } from '../refusal.ts'
import { type Secrets, sameDigest } from '../secret.ts'
import type { DeliveryQueue, ForwardedHeaders } from './delivery-queue.ts'
import type { Listener, ListenerStore } from './listener.ts'
import { ListenerCache } from './listener-cache.ts'

export type WebhookRefusalReason = 'no-listener' | 'key-rejected' | 'queue-full' | 'gateway-unavailable'

export class WebhookRefusal extends Refusal<WebhookRefusalReason> {}

/** A webhook for which a listener was found and its key checked. */
export interface AdmittedWebhook {
  path: string
  headers: ForwardedHeaders
  clientIp: string
  body: Uint8Array
}

/** The way in: who listens, whether the caller may, and durable acceptance. */
export class Webhooks {
  readonly #listeners: ListenerCache
  readonly #queue: DeliveryQueue
  readonly #secrets: Secrets
  readonly #clock: Clock
  readonly #keyUses = new LastTimes()
  readonly #recordKeyUse: ListenerStore['recordKeyUse']

  constructor(parts: { listeners: ListenerStore; queue: DeliveryQueue; secrets: Secrets; clock: Clock }) {
    this.#listeners = new ListenerCache({ listeners: parts.listeners, clock: parts.clock })
    this.#recordKeyUse = (lastUsedAtMs) => parts.listeners.recordKeyUse(lastUsedAtMs)
    this.#queue = parts.queue
    this.#secrets = parts.secrets
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
   * @throws WebhookRefusal `queue-full`, `gateway-unavailable`.
   */
  async accept(listener: Listener, { path, headers, clientIp, body }: AdmittedWebhook): Promise<void> {
    const { botId, flowId, ordered } = listener
    const acceptedAtMs = this.#clock.nowMs()
    const outcome = await this.#queue.accept({ botId, flowId, path, headers, clientIp, body, acceptedAtMs, ordered })
    switch (outcome.kind) {
      case 'accepted':
        return
      case 'full':
        throw new WebhookRefusal('queue-full', {
          detail: `${outcome.of === 'bot' ? 'its own' : 'the whole'}, bot ${botId}`,
        })
      case 'unavailable':
        throw new WebhookRefusal('gateway-unavailable', { cause: outcome.cause })
    }
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

  #opens({ keys }: Listener, clearTextKey: string | undefined): boolean {
    if (keys === undefined) return true
    if (clearTextKey === undefined) return false
    const presented = this.#secrets.digest(clearTextKey)
    const nowMs = this.#clock.nowMs()
    const key = keys.find(
      ({ digest, endsAtMs }) => (endsAtMs === null || nowMs < endsAtMs) && sameDigest(presented, digest),
    )
    if (key !== undefined) this.#keyUses.note(key.number, nowMs)
    return key !== undefined
  }
}
