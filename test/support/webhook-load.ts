import { setTimeout as wait } from 'node:timers/promises'

/** A sender that got no 202 waits for this long, as senders do. */
const pauseMs = 50

/** Sends webhooks to the path `hooks` of bots until it is stopped, and records how each was answered. */
export class WebhookLoad {
  /** Accepted webhooks, in the order of their responses. */
  readonly accepted: { botId: string; body: string; atMs: number }[] = []
  readonly #others = new Map<string, number>()
  readonly #sending: Promise<unknown>
  #stopped = false

  /**
   * @param name prefix of each body, so that bodies differ between the loads of a test.
   * @param everyMs how often each sender sends, regardless of responses. By default, it waits for each response.
   */
  constructor(name: string, senders: readonly { apiUrl: string; botId: string }[], everyMs?: number) {
    this.#sending = Promise.all(
      senders.map(async ({ apiUrl, botId }, sender) => {
        const answered: Promise<boolean>[] = []
        for (let n = 0; !this.#stopped; n += 1) {
          const isAccepted = this.#send(apiUrl, botId, `${name}-${sender}-${n}`)
          if (everyMs === undefined) {
            if (!(await isAccepted)) await wait(pauseMs)
          } else {
            answered.push(isAccepted)
            await wait(everyMs)
          }
        }
        await Promise.all(answered)
      }),
    )
  }

  /** Resolves once this many more webhooks, by default of any bot, got 202. */
  async untilAccepted(count: number, of?: ReadonlySet<string>): Promise<void> {
    const from = this.accepted.length
    const isCounted = ({ botId }: { botId: string }) => of === undefined || of.has(botId)
    while (this.accepted.slice(from).filter(isCounted).length < count) await wait(20)
  }

  /** Resolves once each webhook sent has its response. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#sending
  }

  /** Returns the longest time without a 202, in seconds. */
  longestGapSeconds(): number {
    const times = this.accepted.map(({ atMs }) => atMs)
    return Math.max(...times.slice(1).map((atMs, n) => atMs - (times[n] as number))) / 1_000
  }

  /** Returns how often each response other than 202 was received. */
  otherResponses(): string {
    return [...this.#others].map(([response, count]) => `${count} × ${response}`).join(', ') || 'none'
  }

  async #send(apiUrl: string, botId: string, body: string): Promise<boolean> {
    const response = await fetch(`${apiUrl}/${botId}/hooks`, { method: 'POST', body }).then(
      async (answer) => `${answer.status}${(await answer.text()).startsWith('{') ? '' : ' of HAProxy'}`,
      () => 'no response',
    )
    if (response === '202') this.accepted.push({ botId, body, atMs: performance.now() })
    else this.#others.set(response, (this.#others.get(response) ?? 0) + 1)
    return response === '202'
  }
}
