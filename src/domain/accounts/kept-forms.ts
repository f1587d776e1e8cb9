import type { Clock } from '../clock.ts'
import { newId, type UserId } from '../ids.ts'
import { keptFormLifetimeMs, keptFormsPerUser } from '../limits/limits.ts'
import { SealedTexts } from '../sealed-text.ts'
import type { Secrets } from '../secret.ts'
import type { KeptFormStore } from './kept-form-store.ts'

/** A form that was sent after its session had ended, or a result that a page shows again after a reload. */
export interface KeptForm {
  /** Path of the page it stands on. */
  page: string
  /** Field values by field name. None holds a secret or a token that is still valid. */
  fields: Readonly<Record<string, readonly string[]>>
}

/**
 * Keeps forms that were sent too late, and results of try-outs, for {@link keptFormLifetimeMs}. Each is sealed for its
 * user: another user who signs in at the same browser can't read it.
 */
export class KeptForms {
  readonly #store: KeptFormStore
  readonly #sealed: SealedTexts
  readonly #clock: Clock

  constructor({ store, secrets, clock }: { store: KeptFormStore; secrets: Secrets; clock: Clock }) {
    this.#store = store
    this.#sealed = new SealedTexts(secrets.keysFor('kept forms'))
    this.#clock = clock
  }

  /** Returns the id to find it by; undefined when there is no such user. The latest {@link keptFormsPerUser} stay. */
  async keep(userId: UserId, form: KeptForm): Promise<string | undefined> {
    const id = newId()
    const sealed = this.#sealed.seal(JSON.stringify(form), belongsTo(id, userId))
    const expiresAtMs = this.#clock.nowMs() + keptFormLifetimeMs
    return (await this.#store.keep({ id, userId, sealed, expiresAtMs }, keptFormsPerUser)) ? id : undefined
  }

  /** What was typed on this page; undefined for another user's, another page's, or what has run out. */
  async find(userId: UserId, id: string, page: string): Promise<KeptForm['fields'] | undefined> {
    const sealed = await this.#store.find(id, userId, this.#clock.nowMs())
    if (sealed === undefined) return undefined
    const form = JSON.parse(this.#sealed.open(sealed, belongsTo(id, userId))) as KeptForm
    return form.page === page ? form.fields : undefined
  }

  /** Deletes at most `atMost` that have run out; returns how many. */
  prune(atMost: number): Promise<number> {
    return this.#store.deleteExpired(this.#clock.nowMs(), atMost)
  }
}

function belongsTo(id: string, userId: UserId): string {
  return `form ${id} of ${userId}`
}
