import type { Audit, AuditEntry, AuditKind, Origin } from '../audit/audit.ts'
import { oneLine } from '../clean-text.ts'
import type { Clock } from '../clock.ts'
import { type ApplicationId, asClientId, newId, type Secrets, type UserId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import {
  type ApplicationForm,
  ApplicationRefusal,
  parseApplicationForm,
  unknownApplication,
  unknownOwner,
} from './application-form.ts'
import type { ApplicationStore, ClientSecret, OwnedApplication } from './application-store.ts'
import type { NotAdded } from './redirect-uri.ts'

/** The secret is returned only once. */
export interface WithClearTextSecret {
  application: OwnedApplication
  clearTextSecret: string
}

interface OwnedParts {
  store: ApplicationStore
  audit: Audit
  secrets: Secrets
  clock: Clock
}

export function createOwnedApplications(parts: OwnedParts) {
  const { store, audit, secrets, clock } = parts

  /** @throws ApplicationRefusal `application-unknown`, also for another owner's application. */
  async function find(ownerId: UserId, id: ApplicationId): Promise<OwnedApplication> {
    const application = await store.findById(id)
    if (application?.ownerId !== ownerId) throw unknownApplication(id)
    return application
  }

  return {
    find,
    list: (ownerId: UserId) => store.listOwned(ownerId),

    /** @throws ApplicationRefusal with all validation errors, or `owner-unknown`, `applications-too-many`. */
    async register(ownerId: UserId, form: ApplicationForm, origin: Origin): Promise<WithClearTextSecret> {
      const parsed = parseApplicationForm(form)
      const application = { ...newApplication(newId<ApplicationId>(), ownerId, clock.nowMs()), ...parsed }
      const { clearText, ...secret } = secrets.make('clientSecret')
      const entry = byOwner('application-registered', ownerId, application.id, origin)
      const added = { ...application, ownedMax: limits.applicationsPerOwner }
      const outcome = await store.addApplication(added, secret, audit.recordingOf('added', entry))
      if (outcome === 'too-many') {
        const reason = 'applications-too-many'
        throw new ApplicationRefusal(reason, { faults: [{ reason }] })
      }
      if (outcome !== 'added') throw unknownOwner(application.id)
      return { application: await find(ownerId, application.id), clearTextSecret: clearText }
    },

    /** @throws ApplicationRefusal with all validation errors of the form; `application-unknown` like {@link find}. */
    async change(ownerId: UserId, id: ApplicationId, form: ApplicationForm, origin: Origin): Promise<OwnedApplication> {
      const parsed = parseApplicationForm(form)
      const entry = byOwner('application-changed', ownerId, id, origin)
      const nowMs = clock.nowMs()
      const changed = await store.changeApplication(id, ownerId, parsed, nowMs, audit.recordingOf('changed', entry))
      if (!('application' in changed)) throw unknownApplication(id)
      return changed.application
    },

    /** Doesn't check for an {@link AdditionRisk}. Throws ApplicationRefusal `application-unknown` like {@link find}. */
    async addRedirectUri(
      ownerId: UserId,
      id: ApplicationId,
      redirectUri: string,
      origin: Origin,
    ): Promise<{ kind: 'added' } | NotAdded> {
      const entry = byOwner('application-changed', ownerId, id, origin)
      const nowMs = clock.nowMs()
      const outcome = await store.addRedirectUri(id, ownerId, redirectUri, nowMs, audit.recordingOf('added', entry))
      if (outcome === 'unknown') throw unknownApplication(id)
      return outcome
    },

    /** Invalidates all its tokens. Throws ApplicationRefusal `application-unknown` like {@link find}. */
    async remove(ownerId: UserId, id: ApplicationId, origin: Origin): Promise<void> {
      const entry = byOwner('application-deleted', ownerId, id, origin)
      const removed = await store.deleteApplication(id, ownerId, clock.nowMs(), audit.recordingOf(true, entry))
      if (!removed) throw unknownApplication(id)
    },
  }
}

export function createClientSecrets(parts: OwnedParts) {
  const { store, audit, secrets, clock } = parts

  /** Details of the secret that was used last help the owner to find a server that still uses a revoked secret. */
  function recordingOfRevoked(entry: AuditEntry) {
    return audit.recording((outcome: string | { revoked: readonly ClientSecret[] }) =>
      typeof outcome === 'string' ? undefined : { ...entry, detail: lastUsed(outcome.revoked) },
    )
  }

  return {
    /** Ends all previous secrets, but no tokens. Throws ApplicationRefusal `application-unknown` to other owners. */
    async rotate(ownerId: UserId, id: ApplicationId, origin: Origin): Promise<WithClearTextSecret> {
      const { clearText, ...secret } = secrets.make('clientSecret')
      const recording = recordingOfRevoked(byOwner('secret-rotated', ownerId, id, origin))
      const outcome = await store.replaceSecrets(id, ownerId, secret, clock.nowMs(), recording)
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
      const entry = { ...byOwner('secret-added', ownerId, id, origin), detail: { label: line } }
      const application = await store.addSecret(
        id,
        ownerId,
        { ...secret, label: line },
        { atMost: limits.clientSecretsMax, nowMs: clock.nowMs() },
        audit.recording((outcome) => (typeof outcome === 'string' ? undefined : entry)),
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
      const recording = recordingOfRevoked(byOwner('secret-revoked', ownerId, id, origin))
      const outcome = await store.removeSecret(id, ownerId, number, recording)
      if (outcome === 'unknown') throw unknownApplication(id)
      if (outcome === 'secret-unknown') throw new ApplicationRefusal('secret-unknown')
      if (outcome === 'last-one') throw new ApplicationRefusal('secret-needed')
      return outcome.application
    },
  }
}

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

function byOwner(kind: AuditKind, ownerId: UserId, applicationId: ApplicationId, origin: Origin): AuditEntry {
  return { kind, actor: 'user', origin, userId: ownerId, applicationId }
}

export function newApplication(id: ApplicationId, ownerId: UserId | null, nowMs: number) {
  return {
    id,
    clientId: asClientId(`svc_ci_${newId()}`),
    ownerId,
    firstParty: false,
    requirePkce: false,
    verified: false,
    disabled: false,
    createdAtMs: nowMs,
  }
}
