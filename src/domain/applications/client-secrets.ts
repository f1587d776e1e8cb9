import type { Audit, Origin } from '../audit/audit.ts'
import { oneLine } from '../clean-text.ts'
import type { Clock } from '../clock.ts'
import type { ApplicationId, UserId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import type { Secrets } from '../secret.ts'
import { ApplicationRefusal, unknownApplication } from './application-form.ts'
import type { ApplicationStore, ClientSecret, OwnedApplication } from './application-store.ts'
import { byOwner, type WithClearTextSecret } from './owned-applications.ts'

export function createClientSecrets(parts: { store: ApplicationStore; audit: Audit; secrets: Secrets; clock: Clock }) {
  const { store, audit, secrets, clock } = parts

  return {
    /**
     * Immediately invalidates all previous secrets. Tokens stay valid.
     *
     * @throws ApplicationRefusal `application-unknown`, also for another owner's application.
     */
    async rotate(ownerId: UserId, id: ApplicationId, origin: Origin): Promise<WithClearTextSecret> {
      const { clearText, ...secret } = secrets.make('clientSecret')
      const outcome = await store.replaceSecrets(
        id,
        ownerId,
        secret,
        clock.nowMs(),
        audit.recording((outcome) =>
          outcome === 'unknown'
            ? undefined
            : { ...byOwner('secret-rotated', ownerId, id, origin), detail: lastUsed(outcome.revoked) },
        ),
      )
      if (outcome === 'unknown') throw unknownApplication(id)
      return { application: outcome.application, clearTextSecret: clearText }
    },

    /**
     * Creates a second client secret, so that servers can switch over one by one.
     *
     * @throws ApplicationRefusal `application-unknown` like {@link rotate}; `secret-label-missing`,
     * `secret-label-too-long`; `secrets-too-many` if there are already two.
     */
    async add(
      ownerId: UserId,
      id: ApplicationId,
      { label, origin }: { label: string; origin: Origin },
    ): Promise<WithClearTextSecret> {
      const line = oneLine(label)
      if (line === '') throw new ApplicationRefusal('secret-label-missing')
      if ([...line].length > limits.secretLabelMaxCharacters) throw new ApplicationRefusal('secret-label-too-long')
      const { clearText, ...secret } = secrets.make('clientSecret')
      const application = await store.addSecret(
        id,
        ownerId,
        { ...secret, label: line },
        { atMost: limits.clientSecretsMax, nowMs: clock.nowMs() },
        audit.recording((outcome) =>
          typeof outcome === 'string'
            ? undefined
            : { ...byOwner('secret-added', ownerId, id, origin), detail: { label: line } },
        ),
      )
      if (application === 'unknown') throw unknownApplication(id)
      if (application === 'too-many') throw new ApplicationRefusal('secrets-too-many')
      return { application, clearTextSecret: clearText }
    },

    /**
     * Revokes one of two client secrets immediately. Tokens stay valid.
     *
     * @throws ApplicationRefusal `application-unknown` like {@link rotate}; `secret-unknown`; `secret-needed` if it is
     * the only one.
     */
    async revoke(
      ownerId: UserId,
      id: ApplicationId,
      { number, origin }: { number: number; origin: Origin },
    ): Promise<OwnedApplication> {
      const outcome = await store.removeSecret(
        id,
        ownerId,
        number,
        audit.recording((outcome) =>
          typeof outcome === 'string'
            ? undefined
            : { ...byOwner('secret-revoked', ownerId, id, origin), detail: lastUsed(outcome.revoked) },
        ),
      )
      if (outcome === 'unknown') throw unknownApplication(id)
      if (outcome === 'secret-unknown') throw new ApplicationRefusal('secret-unknown')
      if (outcome === 'last-one') throw new ApplicationRefusal('secret-needed')
      return outcome.application
    },
  }
}

/** Details of the secret that was used last help the owner to find a server that still uses a revoked secret. */
function lastUsed(revoked: readonly ClientSecret[]): Record<string, string> {
  const [latest] = revoked.toSorted((one, other) => (other.lastUsedAtMs ?? 0) - (one.lastUsedAtMs ?? 0))
  if (latest === undefined) return {}
  const { label, lastFour, lastUsedAtMs } = latest
  return {
    lastFour,
    ...(label !== null && { label }),
    ...(lastUsedAtMs !== null && { lastUsedAt: new Date(lastUsedAtMs).toISOString() }),
  }
}
