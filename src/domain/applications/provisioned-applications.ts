import type { Clock } from '../clock.ts'
import type { ApplicationId, ClientId, UserId } from '../ids.ts'
import type { Secrets } from '../secret.ts'
import { parseApplicationForm } from './application-form.ts'
import { ApplicationRefusal, unknownOwner } from './application-refusal.ts'
import type { ApplicationStore } from './application-store.ts'
import { newApplication } from './new-application.ts'
import type { Environment } from './redirect-uri.ts'

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

/** What the operator and the service itself do with any application. */
export class ProvisionedApplications {
  readonly #store: ApplicationStore
  readonly #secrets: Secrets
  readonly #clock: Clock

  constructor(parts: { store: ApplicationStore; secrets: Secrets; clock: Clock }) {
    this.#store = parts.store
    this.#secrets = parts.secrets
    this.#clock = parts.clock
  }

  /**
   * Creates or changes the application. The secret is returned only at creation.
   *
   * @throws ApplicationRefusal with every fault of the change; `owner-unknown`; `application-removed` when the
   * id was a deleted application's.
   */
  async put(id: ApplicationId, change: ApplicationChange): Promise<PutApplicationOutcome> {
    const { ownerId, firstParty, verified } = change
    const stored = await this.#store.findById(id)
    const environment = change.environment ?? stored?.environment ?? 'production'
    const parsed = parseApplicationForm({ ...change, environment })
    if (stored === undefined) {
      const application = {
        ...newApplication(id, ownerId, this.#clock.nowMs()),
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
    const outcome = await this.#store.addApplication(
      { ...newApplication(id, null, this.#clock.nowMs()), ...change, clientId },
      null,
    )
    if (outcome === 'added') return
    // Else another node has just made it, or it was deleted.
    const again = await this.#store.changeApplication(id, null, change, this.#clock.nowMs())
    if (again === 'unknown') throw new ApplicationRefusal('application-removed', { detail: `application ${id}` })
  }
}
