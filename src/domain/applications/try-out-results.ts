import type { Clock } from '../clock.ts'
import { newId, type Secrets, type UserId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { SealedTexts } from '../sealed-text.ts'

interface NewResult {
  id: string
  userId: UserId
  sealed: Uint8Array
  expiresAtMs: number
}

/** Each method runs in one transaction. */
export interface TryOutResultStore {
  /** Deletes the user's oldest results beyond `atMost`. Returns `false` if the user is unknown. */
  keep(result: NewResult, atMost: number): Promise<boolean>
  /** Does not delete the result. */
  find(id: string, userId: UserId, nowMs: number): Promise<Uint8Array | undefined>
}

export type TryOutResults = ReturnType<typeof createTryOutResults>

/** Keeps results for {@link tryOutResultLifetimeMs}, each sealed for its user. */
export function createTryOutResults(parts: { store: TryOutResultStore; secrets: Secrets; clock: Clock }) {
  const { store, secrets, clock } = parts
  const texts = new SealedTexts(secrets.keysFor('results of try-outs'))

  return {
    /** Keeps the user's latest {@link tryOutResultsPerUser}, each for a `page`. Returns the ID if the user is known. */
    async keep(userId: UserId, page: string, result: string): Promise<string | undefined> {
      const id = newId()
      const sealed = texts.seal(JSON.stringify({ page, result }), belongsTo(id, userId))
      const expiresAtMs = clock.nowMs() + limits.tryOutResultLifetimeMs
      return (await store.keep({ id, userId, sealed, expiresAtMs }, limits.tryOutResultsPerUser)) ? id : undefined
    },

    async find(userId: UserId, id: string, page: string): Promise<string | undefined> {
      const sealed = await store.find(id, userId, clock.nowMs())
      const text = sealed && texts.find(sealed, belongsTo(id, userId))
      if (text === undefined) return undefined
      const kept = JSON.parse(text) as { page: string; result: string }
      return kept.page === page ? kept.result : undefined
    },
  }
}

function belongsTo(id: string, userId: UserId): string {
  return `result ${id} of ${userId}`
}
