import type { QueuedMail } from '../../accounts/mail/mail-store.ts'
import type { Mail } from '../../accounts/mail/mail-transport.ts'
import type { StatusMailLinks } from './status-mail-links.ts'
import type { StatusMailDetail } from './status-mail-round.ts'
import type { StatusMailStore } from './status-mail-store.ts'

/** Writes queued status mail when it is sent. */
export class StatusMailWriter {
  readonly #store: Pick<StatusMailStore, 'find'>
  readonly #links: StatusMailLinks

  constructor({ store, links }: { store: Pick<StatusMailStore, 'find'>; links: StatusMailLinks }) {
    this.#store = store
    this.#links = links
  }

  /** Returns `undefined` if the mail is obsolete: the subscriber is gone, or the bot's status is no longer public. */
  async write({ kind, subscriber: number, detail }: QueuedMail): Promise<Mail | undefined> {
    const subscriber = number === null ? undefined : await this.#store.find(number)
    if (subscriber === undefined || !subscriber.isPublic) return undefined
    const { botName, chatPlatformId, address, language, requestedAtMs, confirmedAtMs } = subscriber
    const about = { to: address, language, botName, chatPlatformId }
    if (kind === 'confirm-status') {
      if (confirmedAtMs !== null) return undefined
      return { ...about, kind, clearTextToken: this.#links.make('confirm', subscriber.number, requestedAtMs) }
    }
    if (confirmedAtMs === null || detail === null || (kind !== 'bot-offline' && kind !== 'bot-online')) return undefined
    const clearTextToken = this.#links.make('unsubscribe', subscriber.number, 0)
    return { ...about, kind, clearTextToken, ...(JSON.parse(detail) as StatusMailDetail) }
  }
}
