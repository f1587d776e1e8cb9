import type { Clock } from '../clock.ts'
import { newId, type UserId } from '../ids.ts'
import { keptFormLifetimeMs, keptFormsPerUser } from '../limits/limits.ts'
import { SealedTexts } from '../sealed-text.ts'
import type { Secrets } from '../secret.ts'

interface NewKeptForm {
  id: string
  userId: UserId
  sealed: Uint8Array
  expiresAtMs: number
}

/** Stores saved forms. Each method runs in one transaction. */
export interface KeptFormStore {
  /**
   * Stores the form and deletes the user's oldest forms beyond `atMost`. If the user is unknown, stores nothing and
   * returns `false`.
   */
  keep(form: NewKeptForm, atMost: number): Promise<boolean>
  /** Returns the encrypted form if it belongs to this user and has not expired. Does not delete it. */
  find(id: string, userId: UserId, nowMs: number): Promise<Uint8Array | undefined>
  /** Deletes up to `atMost` expired forms, oldest first. Returns the number deleted. */
  deleteExpired(nowMs: number, atMost: number): Promise<number>
}

/**
 * Data kept for a later page load: the input of a form that was submitted after the session had ended, or the result of
 * a test run.
 */
interface KeptForm {
  /** Path of the page that shows the form. */
  page: string
  /** Values by field name. Excludes secrets and any tokens that are still valid. */
  fields: Readonly<Record<string, readonly string[]>>
}

/**
 * Keeps form input and test run results for {@link keptFormLifetimeMs}. Each entry is encrypted for its user, so other
 * users of the same browser can't read it.
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

  /**
   * Stores the input and returns its ID, or `undefined` if the user is unknown. Keeps only the user's latest
   * {@link keptFormsPerUser} forms.
   */
  async keep(userId: UserId, form: KeptForm): Promise<string | undefined> {
    const id = newId()
    const sealed = this.#sealed.seal(JSON.stringify(form), belongsTo(id, userId))
    const expiresAtMs = this.#clock.nowMs() + keptFormLifetimeMs
    return (await this.#store.keep({ id, userId, sealed, expiresAtMs }, keptFormsPerUser)) ? id : undefined
  }

  /** Returns the input for this page, or `undefined` if the input has expired or belongs to another user or page. */
  async find(userId: UserId, id: string, page: string): Promise<KeptForm['fields'] | undefined> {
    const sealed = await this.#store.find(id, userId, this.#clock.nowMs())
    if (sealed === undefined) return undefined
    const form = JSON.parse(this.#sealed.open(sealed, belongsTo(id, userId))) as KeptForm
    return form.page === page ? form.fields : undefined
  }

  prune(atMost: number): Promise<number> {
    return this.#store.deleteExpired(this.#clock.nowMs(), atMost)
  }
}

function belongsTo(id: string, userId: UserId): string {
  return `form ${id} of ${userId}`
}
