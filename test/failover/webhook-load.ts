import { setTimeout as wait } from 'node:timers/promises'
import { webhookUrlOf } from '../support/service-process-client.ts'

const everyMs = 20

/** Sends numbered webhooks at a fixed rate, regardless of responses, and records when each got 202. */
export class WebhookLoad {
  /** The time at which each accepted webhook got its 202, by body. */
  readonly acceptedAtMs = new Map<string, number>()
  readonly #others = new Map<string, number>()
  readonly #url: string
  readonly #name: string
  readonly #sending: Promise<void>
  #stopped = false

  /** @param name prefix of each body, so that bodies differ between the loads of a test. */
  constructor(url: string, name: string) {
    this.#url = url
    this.#name = name
    this.#sending = this.#sendAll()
  }

  /** Resolves once this many more webhooks got 202. */
  async untilAccepted(count: number): Promise<void> {
    for (const target = this.acceptedAtMs.size + count; this.acceptedAtMs.size < target; ) await wait(everyMs)
  }

  /** Resolves once each webhook sent has its response. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#sending
  }

  /** Returns the longest time without a 202, in seconds. */
  longestGapSeconds(): number {
    const times = [...this.acceptedAtMs.values()].sort((one, other) => one - other)
    return Math.max(...times.slice(1).map((atMs, n) => atMs - (times[n] as number))) / 1_000
  }

  /** Returns how often each response other than 202 was received. */
  otherResponses(): string {
    return [...this.#others].map(([response, count]) => `${count} × ${response}`).join(', ') || 'none'
  }

  async #sendAll(): Promise<void> {
    const answered: Promise<void>[] = []
    for (let n = 0; !this.#stopped; n += 1) {
      answered.push(this.#send(n))
      await wait(everyMs)
    }
    await Promise.all(answered)
  }

  async #send(n: number): Promise<void> {
    const body = `${this.#name}-${n}`
    const response = await fetch(webhookUrlOf({ API_URL: this.#url }, n), { method: 'POST', body }).then(
      async (answer) => `${answer.status}${(await answer.text()).startsWith('{') ? '' : ' of HAProxy'}`,
      () => 'no response',
    )
    if (response === '202') this.acceptedAtMs.set(body, performance.now())
    else this.#others.set(response, (this.#others.get(response) ?? 0) + 1)
  }
}
