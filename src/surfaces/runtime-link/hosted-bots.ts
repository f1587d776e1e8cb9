import type { Bots } from '../../domain/bots/bots.ts'
import type { Runtime } from '../../domain/bots/runtimes/runtime.ts'
import type { BotId } from '../../domain/ids.ts'
import type { Attachment } from '../../domain/webhooks/attachment.ts'
import type { Dispatcher } from '../../domain/webhooks/dispatcher.ts'

export interface HostedBotsParts {
  runtime: Runtime
  /** The bots that the runtime named; undefined when it takes all that its key may host. */
  wanted: readonly string[] | undefined
  bots: Pick<Bots, 'hosting'>
  dispatcher: Dispatcher
  /** Told before the change takes effect. */
  onChange: (change: { add: BotId[]; remove: BotId[] }) => void
  onFault: (error: unknown) => void
}

/**
 * Keeps what a session hosts in step with what it may host. Changes are gathered while one is being looked at, so that
 * many at once are few frames, and later ones are never overtaken by earlier ones.
 */
export class HostedBots {
  readonly #parts: HostedBotsParts
  /** Those that the runtime may host and wants, as far as it or its key names any. */
  readonly #named: ReadonlySet<string> | undefined
  readonly #changed = new Set<BotId>()
  #attachment: Attachment | undefined
  #refreshing = false

  constructor(parts: HostedBotsParts) {
    this.#parts = parts
    const { botIds } = parts.runtime
    // Bots that the key may not host aren't kept.
    const named =
      parts.wanted && botIds ? new Set(parts.wanted).intersection(new Set(botIds)) : (parts.wanted ?? botIds)
    this.#named = named === null ? undefined : new Set(named)
  }

  /** From here on changes are acted on; those that came since the construction are first. */
  attached(attachment: Attachment): void {
    this.#attachment = attachment
    this.#refresh()
  }

  ended(): void {
    this.#attachment = undefined
    this.#changed.clear()
  }

  /** Something about the bot changed: whether this runtime hosts it is judged anew. */
  changed(botId: BotId): void {
    if (this.#named?.has(botId) === false) return
    this.#changed.add(botId)
    this.#refresh()
  }

  #refresh(): void {
    if (this.#refreshing || this.#changed.size === 0 || this.#attachment === undefined) return
    this.#refreshing = true
    this.#refreshOnce(this.#attachment)
      .catch((error) => this.#parts.onFault(error))
      .finally(() => {
        this.#refreshing = false
        this.#refresh()
      })
  }

  async #refreshOnce(attachment: Attachment): Promise<void> {
    const { runtime, bots, dispatcher, onChange } = this.#parts
    const changed = [...this.#changed]
    this.#changed.clear()
    const hostable = new Set((await bots.hosting.hostable(runtime, changed)).bots)
    if (this.#attachment !== attachment) return
    const add = changed.filter((botId) => hostable.has(botId) && !attachment.hosts(botId))
    const remove = changed.filter((botId) => !hostable.has(botId) && attachment.hosts(botId))
    if (add.length === 0 && remove.length === 0) return
    // Told first: no event of a bot comes before the runtime knows that it hosts it.
    onChange({ add, remove })
    for (const botId of remove) dispatcher.unhost(attachment, botId)
    for (const botId of add) await dispatcher.host(attachment, botId)
  }
}
