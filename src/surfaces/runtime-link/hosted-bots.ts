import type { Bots } from '../../domain/bots/bots.ts'
import type { Runtime } from '../../domain/bots/runtimes/runtime.ts'
import type { BotId } from '../../domain/ids-and-secrets.ts'
import type { Attachment } from '../../domain/webhooks/attachment.ts'
import type { Dispatcher } from '../../domain/webhooks/dispatcher.ts'
import { botsFrames } from './frames.ts'

interface HostedBotsParts {
  runtime: Runtime
  /** `undefined` if the session hosts all bots that the runtime may host. */
  wanted: readonly string[] | undefined
  bots: Pick<Bots, 'hostable'>
  dispatcher: Dispatcher
  send: (frame: object) => void
  onFault: (error: unknown) => void
}

/**
 * Updates a session's bots. Changes during an update wait for the next one, so that no frame overtakes another. A failed
 * update is tried again.
 */
export class HostedBots {
  readonly #parts: HostedBotsParts
  /** Limits this session. `undefined` if neither `wanted` nor the runtime's `botIds` is set. */
  readonly #named: ReadonlySet<string> | undefined
  #changed = new Set<BotId>()
  #attachment: Attachment | undefined
  #refreshing = false

  constructor(parts: HostedBotsParts) {
    this.#parts = parts
    // Bots that the runtime isn't allowed to host are excluded when they are rechecked.
    const named = parts.wanted ?? parts.runtime.botIds
    this.#named = named === null ? undefined : new Set(named)
  }

  /** Also applies changes received before the session was attached. */
  attached(attachment: Attachment): void {
    this.#attachment = attachment
    this.refresh()
  }

  ended(): void {
    this.#attachment = undefined
    this.#changed.clear()
  }

  /** Rechecks whether this runtime hosts the bot. */
  changed(botId: BotId): void {
    if (this.#named?.has(botId) === false) return
    this.#changed.add(botId)
    this.refresh()
  }

  /** Applies waiting changes. Call it every second. */
  refresh(): void {
    if (this.#refreshing || this.#changed.size === 0 || this.#attachment === undefined) return
    this.#refreshing = true
    const changed = this.#changed
    this.#changed = new Set()
    this.#apply([...changed], this.#attachment)
      .finally(() => {
        this.#refreshing = false
      })
      .then(
        () => this.refresh(),
        (error) => {
          this.#changed = changed.union(this.#changed)
          this.#parts.onFault(error)
        },
      )
  }

  async #apply(changed: readonly BotId[], attachment: Attachment): Promise<void> {
    const { runtime, bots, dispatcher, send } = this.#parts
    const hostable = new Set((await bots.hostable(runtime, changed)).bots)
    if (this.#attachment !== attachment) return
    const add = changed.filter((botId) => hostable.has(botId) && !attachment.hosts(botId))
    const remove = changed.filter((botId) => !hostable.has(botId) && attachment.hosts(botId))
    if (add.length === 0 && remove.length === 0) return
    // The runtime must know the bot when the bot's first event arrives.
    for (const frame of botsFrames({ add, remove })) send(frame)
    for (const botId of remove) dispatcher.unhost(attachment, botId)
    await dispatcher.host(attachment, add)
  }
}
