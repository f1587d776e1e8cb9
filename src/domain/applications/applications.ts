import type { Audit } from '../audit/audit.ts'
import type { AuditKind, Happening, Origin } from '../audit/audit-event.ts'
import type { Clock } from '../clock.ts'
import { type ApplicationId, asClientId, type ClientId, newId, parseApplicationId, type UserId } from '../ids.ts'
import { LastTimes } from '../last-times.ts'
import { clientSecretsMax, secretLabelMaxCharacters } from '../limits/limits.ts'
import { oneLine } from '../one-line.ts'
import { type Secrets, sameDigest } from '../secret.ts'
import { type ApplicationForm, parseApplicationForm } from './application-form.ts'
import { ApplicationRefusal } from './application-refusal.ts'
import type { Application, ApplicationStore, OwnedApplication } from './application-store.ts'
import type { Environment } from './redirect-uri.ts'

export { ApplicationRefusal } from './application-refusal.ts'
export type { Application, ClientSecret, OwnedApplication } from './application-store.ts'
export type { Environment } from './redirect-uri.ts'

/** An application that has just authenticated. */
export type Client = Pick<Application, 'id' | 'clientId'>

/** An application with its secret in clear, which is told this once. */
export interface WithClearTextSecret {
  application: OwnedApplication
  clearTextSecret: string
}

/** What provisioning wants of an application. An absent member keeps what is stored. */
export interface ApplicationChange {
  ownerId: UserId | null
  name: string
  websiteUrl: string
  redirectUris: readonly string[]
  /** Default `production`. */
  environment?: Environment | undefined
  /** Default false. */
  firstParty?: boolean | undefined
  /** Default false. */
  verified?: boolean | undefined
  /** Default false. */
  requirePkce?: boolean | undefined
}

export type PutApplicationOutcome =
  | { outcome: 'created'; clientId: ClientId; clientSecret: string }
  | { outcome: 'changed' }

/** Manages applications and authenticates clients. A change takes effect at its commit, even if the store caches. */
export class Applications {
  readonly #store: ApplicationStore
  readonly #audit: Audit
  readonly #secrets: Secrets
  readonly #clock: Clock
  readonly #secretUses = new LastTimes()

  constructor(parts: { store: ApplicationStore; audit: Audit; secrets: Secrets; clock: Clock }) {
    const { store, audit, secrets, clock } = parts
    this.#store = store
    this.#audit = audit
    this.#secrets = secrets
    this.#clock = clock
  }

  clientById(clientId: ClientId): Promise<Application | undefined> {
    return this.#store.findByClientId(clientId)
  }

  /** @throws ApplicationRefusal `client-unknown`, `client-secret-wrong`: to the caller the two are one (RFC 6749 section 5.2). */
  async authenticateClient(clientId: ClientId, clearTextSecret: string): Promise<Client> {
    const found = await this.#store.findForAuthentication(clientId)
    const [first] = found
    if (first === undefined) throw new ApplicationRefusal('client-unknown')
    const right = this.#secrets.find(clearTextSecret, (presented) =>
      found.find(({ digest }) => digest !== null && sameDigest(digest, presented)),
    )
    if (right !== undefined && right.number !== null) {
      this.#secretUses.note(right.number, this.#clock.nowMs())
      return { id: right.id, clientId }
    }
    throw new ApplicationRefusal('client-secret-wrong', { detail: `client ${clientId}`, applicationId: first.id })
  }

  /** Stores when secrets were last used. Called now and then. */
  recordSecretUse(): Promise<void> {
    return this.#secretUses.flush((lastUsedAtMs) => this.#store.recordSecretUse(lastUsedAtMs))
  }

  application(id: ApplicationId): Promise<OwnedApplication | undefined> {
    return this.#store.findById(id)
  }

  /** Newest first. */
  listOwned(ownerId: UserId): Promise<OwnedApplication[]> {
    return this.#store.listOwned(ownerId)
  }

  /** @throws ApplicationRefusal `application-unknown`, also for another owner's. */
  async owned(ownerId: UserId, id: ApplicationId): Promise<OwnedApplication> {
    const application = await this.#store.findById(id)
    if (application?.ownerId !== ownerId) throw unknownApplication(id)
    return application
  }

  /** @throws ApplicationRefusal with every fault of the form; `owner-unknown`. */
  async register(ownerId: UserId, form: ApplicationForm, origin: Origin): Promise<WithClearTextSecret> {
    const parsed = parseApplicationForm(form)
    const application = { ...this.#newApplication(newApplicationId(), ownerId), ...parsed }
    const { clearText, ...secret } = this.#secrets.make('clientSecret')
    const outcome = await this.#store.addApplication(
      application,
      secret,
      this.#audit.recording((added) =>
        added === 'added' ? byOwner('application-registered', ownerId, application.id, origin) : undefined,
      ),
    )
    if (outcome !== 'added') throw unknownOwner(application.id)
    return { application: await this.owned(ownerId, application.id), clearTextSecret: clearText }
  }

  /** @throws ApplicationRefusal with every fault of the form; `application-unknown`, also for another owner's. */
  async change(ownerId: UserId, id: ApplicationId, form: ApplicationForm, origin: Origin): Promise<OwnedApplication> {
    const parsed = parseApplicationForm(form)
    const changed = await this.#store.changeApplication(
      id,
      ownerId,
      parsed,
      this.#clock.nowMs(),
      this.#audit.recording((outcome) =>
        typeof outcome === 'string' ? undefined : byOwner('application-changed', ownerId, id, origin),
      ),
    )
    if (typeof changed === 'string') throw unknownApplication(id)
    return changed
  }

  /**
   * Makes a new client secret; all before it are dead at once, tokens live on.
   *
   * @throws ApplicationRefusal `application-unknown`, also for another owner's.
   */
  async rotateClientSecret(ownerId: UserId, id: ApplicationId, origin: Origin): Promise<WithClearTextSecret> {
    const { clearText, ...secret } = this.#secrets.make('clientSecret')
    const application = await this.#store.replaceSecrets(
      id,
      ownerId,
      secret,
      this.#clock.nowMs(),
      this.#audit.recording((outcome) =>
        outcome === 'unknown' ? undefined : byOwner('secret-rotated', ownerId, id, origin),
      ),
    )
    if (application === 'unknown') throw unknownApplication(id)
    return { application, clearTextSecret: clearText }
  }

  /**
   * Makes a second client secret beside the first, so that servers can change over one by one.
   *
   * @param label what its owner calls it, on one line.
   * @throws ApplicationRefusal `application-unknown`, also for another owner's; `secret-label-missing`,
   * `secret-label-too-long`; `secrets-too-many` when there are two.
   */
  async addClientSecret(
    ownerId: UserId,
    id: ApplicationId,
    { label, origin }: { label: string; origin: Origin },
  ): Promise<WithClearTextSecret> {
    const line = oneLine(label)
    if (line === '') throw new ApplicationRefusal('secret-label-missing')
    if ([...line].length > secretLabelMaxCharacters) throw new ApplicationRefusal('secret-label-too-long')
    const { clearText, ...secret } = this.#secrets.make('clientSecret')
    const limits = { atMost: clientSecretsMax, nowMs: this.#clock.nowMs() }
    const application = await this.#store.addSecret(
      id,
      ownerId,
      { ...secret, label: line },
      limits,
      this.#audit.recording((outcome) =>
        typeof outcome === 'string' ? undefined : byOwner('secret-added', ownerId, id, origin),
      ),
    )
    if (application === 'unknown') throw unknownApplication(id)
    if (application === 'too-many') throw new ApplicationRefusal('secrets-too-many')
    return { application, clearTextSecret: clearText }
  }

  /**
   * Ends one of two client secrets; it is dead at once, tokens live on.
   *
   * @throws ApplicationRefusal `application-unknown`, also for another owner's; `secret-unknown`; `secret-needed`
   * when it is the only one.
   */
  async revokeClientSecret(
    ownerId: UserId,
    id: ApplicationId,
    { number, origin }: { number: number; origin: Origin },
  ): Promise<OwnedApplication> {
    const application = await this.#store.removeSecret(
      id,
      ownerId,
      number,
      this.#audit.recording((outcome) =>
        typeof outcome === 'string' ? undefined : byOwner('secret-revoked', ownerId, id, origin),
      ),
    )
    if (application === 'unknown') throw unknownApplication(id)
    if (application === 'secret-unknown') throw new ApplicationRefusal('secret-unknown')
    if (application === 'last-one') throw new ApplicationRefusal('secret-needed')
    return application
  }

  /**
   * Deletes the application, and with it all its tokens.
   *
   * @throws ApplicationRefusal `application-unknown`, also for another owner's.
   */
  async remove(ownerId: UserId, id: ApplicationId, origin: Origin): Promise<void> {
    const removed = await this.#store.deleteApplication(
      id,
      ownerId,
      this.#clock.nowMs(),
      this.#audit.recording((deleted) => (deleted ? byOwner('application-deleted', ownerId, id, origin) : undefined)),
    )
    if (!removed) throw unknownApplication(id)
  }

  /**
   * Provisioning: creates or changes. The secret is told at creation only.
   *
   * @throws ApplicationRefusal with every fault of the change; `owner-unknown`; `application-removed` when the
   * id was a deleted application's.
   */
  async putApplication(id: ApplicationId, change: ApplicationChange): Promise<PutApplicationOutcome> {
    const { ownerId, firstParty, verified } = change
    const stored = await this.#store.findById(id)
    const environment = change.environment ?? stored?.environment ?? 'production'
    const parsed = parseApplicationForm({ ...change, environment })
    if (stored === undefined) {
      const application = {
        ...this.#newApplication(id, ownerId),
        ...parsed,
        firstParty: firstParty ?? false,
        verified: verified ?? false,
      }
      const { clearText, ...secret } = this.#secrets.make('clientSecret')
      const outcome = await this.#store.addApplication(application, secret)
      if (outcome === 'added') return { outcome: 'created', clientId: application.clientId, clientSecret: clearText }
      if (outcome === 'owner-unknown') throw unknownOwner(id)
      // Else another caller has just created it, or it was deleted.
    }
    const update = {
      ...parsed,
      ownerId,
      ...(firstParty === undefined ? {} : { firstParty }),
      ...(verified === undefined ? {} : { verified }),
    }
    const changed = await this.#store.changeApplication(id, null, update, this.#clock.nowMs())
    if (changed === 'owner-unknown') throw unknownOwner(id)
    if (changed === 'unknown') throw new ApplicationRefusal('application-removed', { detail: `application ${id}` })
    return { outcome: 'changed' }
  }

  /** Makes the service's own application what it should be, at each start. It has no secret: nothing of it leaves the process. */
  async ensureFirstParty(application: {
    id: ApplicationId
    clientId: ClientId
    name: string
    websiteUrl: string
    redirectUris: readonly string[]
  }): Promise<void> {
    // Whatever its addresses are: they come from the configuration, not from a form.
    const { id, clientId, ...wanted } = application
    const change = { ...wanted, environment: 'production', firstParty: true, ownerId: null } as const
    const changed = await this.#store.changeApplication(id, null, change, this.#clock.nowMs())
    if (changed !== 'unknown') return
    const outcome = await this.#store.addApplication({ ...this.#newApplication(id, null), ...change, clientId }, null)
    if (outcome === 'added') return
    // Else another node has just made it, or it was deleted.
    const again = await this.#store.changeApplication(id, null, change, this.#clock.nowMs())
    if (again === 'unknown') throw new ApplicationRefusal('application-removed', { detail: `application ${id}` })
  }

  #newApplication(id: ApplicationId, ownerId: UserId | null) {
    return {
      id,
      clientId: asClientId(`svc_ci_${newId()}`),
      ownerId,
      firstParty: false,
      requirePkce: false,
      verified: false,
      createdAtMs: this.#clock.nowMs(),
    }
  }
}

function byOwner(kind: AuditKind, ownerId: UserId, applicationId: ApplicationId, origin: Origin): Happening {
  return { kind, actor: 'user', origin, userId: ownerId, applicationId }
}

function newApplicationId(): ApplicationId {
  const id = parseApplicationId(newId())
  if (id === undefined) throw new Error('a new id does not have the form of an id')
  return id
}

function unknownApplication(id: ApplicationId): ApplicationRefusal {
  return new ApplicationRefusal('application-unknown', { detail: `application ${id}` })
}

function unknownOwner(id: ApplicationId): ApplicationRefusal {
  return new ApplicationRefusal('owner-unknown', { detail: `application ${id}` })
}
