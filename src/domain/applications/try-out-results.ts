import type { Clock } from '../clock.ts'
import { newId, type UserId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import { SealedTexts } from '../sealed-text.ts'
import type { Secrets } from '../secret.ts'

interface NewResult {
  id: string
  userId: UserId
  sealed: Uint8Array
  expiresAtMs: number
}

/** Stores results of try-outs. Each method runs in one transaction. */
export interface TryOutResultStore {
  /**
   * Stores the result and deletes the user's oldest results beyond `atMost`. If the user is unknown, stores nothing and
   * returns `false`.
   */
  keep(result: NewResult, atMost: number): Promise<boolean>
  /** Returns the sealed result if it belongs to this user and has not expired. Does not delete it. */
  find(id: string, userId: UserId, nowMs: number): Promise<Uint8Array | undefined>
  /** Deletes up to `atMost` expired results, oldest first. Returns the number deleted. */
  deleteExpired(nowMs: number, atMost: number): Promise<number>
}

export type TryOutResults = ReturnType<typeof createTryOutResults>

/**
 * Keeps results of try-outs for {@link tryOutResultLifetimeMs}. Each is sealed for its user, so nobody else can
 * read it.
 */
export function createTryOutResults(parts: { store: TryOutResultStore; secrets: Secrets; clock: Clock }) {
  const { store, secrets, clock } = parts
  const texts = new SealedTexts(secrets.keysFor('results of try-outs'))

  return {
    /**
     * Stores the result and returns its ID, or `undefined` if the user is unknown. Keeps only the user's latest
     * {@link tryOutResultsPerUser} results.
     *
     * @param page path of the page that shows the result.
     */
    async keep(userId: UserId, page: string, result: string): Promise<string | undefined> {
      const id = newId()
      const sealed = texts.seal(JSON.stringify({ page, result }), belongsTo(id, userId))
      const expiresAtMs = clock.nowMs() + limits.tryOutResultLifetimeMs
      return (await store.keep({ id, userId, sealed, expiresAtMs }, limits.tryOutResultsPerUser)) ? id : undefined
    },

    /** Returns the result for this page, or `undefined` if it has expired or belongs to another user. */
    async find(userId: UserId, id: string, page: string): Promise<string | undefined> {
      const sealed = await store.find(id, userId, clock.nowMs())
      if (sealed === undefined) return undefined
      const kept = JSON.parse(texts.open(sealed, belongsTo(id, userId))) as { page: string; result: string }
      return kept.page === page ? kept.result : undefined
    },

    prune: (atMost: number) => store.deleteExpired(clock.nowMs(), atMost),
  }
}

function belongsTo(id: string, userId: UserId): string {
  return `result ${id} of ${userId}`
}
