import type { Clock } from '../clock.ts'
import { newId, type UserId } from '../ids.ts'
import { keptFormLifetimeMs, keptFormsPerUser } from '../limits.ts'
import { SealedTexts } from '../sealed-text.ts'
import type { Secrets } from '../secret.ts'
import type { KeptFormStore } from './kept-form-store.ts'

/** A form that was sent after its session had ended, or what a page shows again after a reload. */
export interface KeptForm {
  /** Path of the page it stands on. */
  page: string
  /** Texts by the names of their fields. None holds a secret or a token that is still valid. */
  fields: Readonly<Record<string, readonly string[]>>
}

/**
 * Forms that came too late, kept for {@link keptFormLifetimeMs} until their person is signed in again, and results of
 * try-outs. They are sealed, and open for that person alone: whoever else signs in at the same browser gets nothing of
 * them.
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
