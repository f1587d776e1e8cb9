import type { Audit, AuditEntry, AuditKind, Origin } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { type ApplicationId, asClientId, newApplicationId, newId, type UserId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import type { Secrets } from '../secret.ts'
import {
  type ApplicationForm,
  ApplicationRefusal,
  parseApplicationForm,
  unknownApplication,
  unknownOwner,
} from './application-form.ts'
import type { ApplicationStore, OwnedApplication } from './application-store.ts'
import type { NotAdded } from './redirect-uri.ts'

/** The secret is returned only once. */
export interface WithClearTextSecret {
  application: OwnedApplication
  clearTextSecret: string
}

export function createOwnedApplications(parts: {
  store: ApplicationStore
  audit: Audit
  secrets: Secrets
  clock: Clock
}) {
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

    /**
     * Registers an application with its first client secret.
     *
     * @throws ApplicationRefusal with all validation errors of the form, or `owner-unknown`, `applications-too-many`.
     */
    async register(ownerId: UserId, form: ApplicationForm, origin: Origin): Promise<WithClearTextSecret> {
      const parsed = parseApplicationForm(form)
      const application = { ...newApplication(newApplicationId(), ownerId, clock.nowMs()), ...parsed }
      const { clearText, ...secret } = secrets.make('clientSecret')
      const outcome = await store.addApplication(
        { ...application, ownedMax: limits.applicationsPerOwner },
        secret,
        audit.recordingOf('added', byOwner('application-registered', ownerId, application.id, origin)),
      )
      if (outcome === 'too-many') throw new ApplicationRefusal([{ reason: 'applications-too-many' }])
      if (outcome !== 'added') throw unknownOwner(application.id)
      return { application: await find(ownerId, application.id), clearTextSecret: clearText }
    },

    /** @throws ApplicationRefusal with all validation errors of the form; `application-unknown` like {@link find}. */
    async change(ownerId: UserId, id: ApplicationId, form: ApplicationForm, origin: Origin): Promise<OwnedApplication> {
      const parsed = parseApplicationForm(form)
      const changed = await store.changeApplication(
        id,
        ownerId,
        parsed,
        clock.nowMs(),
        audit.recordingOf('changed', byOwner('application-changed', ownerId, id, origin)),
      )
      if (!('application' in changed)) throw unknownApplication(id)
      return changed.application
    },

    /**
     * Does not check for the risks in {@link AdditionRisk}.
     *
     * @throws ApplicationRefusal `application-unknown` like {@link find}.
     */
    async addRedirectUri(
      ownerId: UserId,
      id: ApplicationId,
      redirectUri: string,
      origin: Origin,
    ): Promise<{ kind: 'added' } | NotAdded> {
      const outcome = await store.addRedirectUri(
        id,
        ownerId,
        redirectUri,
        clock.nowMs(),
        audit.recordingOf('added', byOwner('application-changed', ownerId, id, origin)),
      )
      if (outcome === 'unknown') throw unknownApplication(id)
      return outcome
    },

    /**
     * Invalidates all its tokens.
     *
     * @throws ApplicationRefusal `application-unknown` like {@link find}.
     */
    async remove(ownerId: UserId, id: ApplicationId, origin: Origin): Promise<void> {
      const removed = await store.deleteApplication(
        id,
        ownerId,
        clock.nowMs(),
        audit.recordingOf(true, byOwner('application-deleted', ownerId, id, origin)),
      )
      if (!removed) throw unknownApplication(id)
    },
  }
}

export function byOwner(kind: AuditKind, ownerId: UserId, applicationId: ApplicationId, origin: Origin): AuditEntry {
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
