import type { Clock } from '../clock.ts'
import { type ApplicationId, type ClientId, formId, type Secrets, type UserId } from '../ids-and-secrets.ts'
import { type AgePlace, allOf, containsText, type PageRequest, pageOf } from '../list-page.ts'
import { type ApplicationForm, ApplicationRefusal, parseApplicationForm, unknownOwner } from './application-form.ts'
import type { Application, ApplicationStore, ClientSecret, OwnedApplication } from './application-store.ts'
import { newApplication } from './owned-applications.ts'
import type { PortalApplication } from './portal-application.ts'
import type { Environment } from './redirect-uri.ts'

/** Omitted fields keep their stored values. In a new application, they are `production` and `false`. */
export interface ApplicationChange extends Omit<ApplicationForm, 'environment'> {
  ownerId: UserId | null
  environment?: Environment | undefined
  firstParty?: boolean | undefined
  verified?: boolean | undefined
}

/** With its active client secrets. */
export type PutApplication = Application & { secrets: readonly Pick<ClientSecret, 'lastFour'>[] }

export type PutApplicationOutcome =
  | { outcome: 'created'; application: PutApplication; clientSecret: string }
  | { outcome: 'changed' | 'unchanged'; application: PutApplication }

export interface ApplicationFilter {
  ownerId?: UserId | undefined
  clientId?: ClientId | undefined
  /** Ignores case. */
  nameContains?: string | undefined
  verified?: boolean | undefined
  createdSinceMs?: number | undefined
}

export function createProvisionedApplications(parts: { store: ApplicationStore; secrets: Secrets; clock: Clock }) {
  const { store, secrets, clock } = parts

  return {
    /**
     * Returns a secret only for a new application.
     *
     * @throws ApplicationRefusal with all validation errors in the change; `owner-unknown`; `application-removed` if
     * the application with this ID was deleted; `id-reserved` for {@link formId}.
     */
    async put(id: ApplicationId, change: ApplicationChange): Promise<PutApplicationOutcome> {
      const { ownerId, firstParty, verified } = change
      const stored = await store.findById(id)
      const environment = change.environment ?? stored?.environment ?? 'production'
      const parsed = parseApplicationForm({ ...change, environment })
      const marks = { ...(firstParty !== undefined && { firstParty }), ...(verified !== undefined && { verified }) }
      if (stored === undefined) {
        if (id === formId) throw new ApplicationRefusal('id-reserved')
        const application = { ...newApplication(id, ownerId, clock.nowMs()), ...parsed, ...marks }
        const { clearText, ...secret } = secrets.make('clientSecret')
        const outcome = await store.addApplication(application, secret)
        const created = { ...application, secrets: [secret] }
        if (outcome === 'added') return { outcome: 'created', application: created, clientSecret: clearText }
        if (outcome === 'owner-unknown') throw unknownOwner(id)
        // Either another caller has just created the application, or the application was deleted.
      }
      const changed = await store.changeApplication(id, null, { ...parsed, ownerId, ...marks }, clock.nowMs())
      if (changed.kind === 'owner-unknown') throw unknownOwner(id)
      if (!('application' in changed))
        throw new ApplicationRefusal('application-removed', { detail: `application ${id}` })
      return { outcome: changed.kind, application: changed.application }
    },

    /** Newest first. A page may be short even if it isn't the last one; see {@link pageOf}. */
    page: ({ nameContains, verified, createdSinceMs, ...values }: ApplicationFilter, request: PageRequest<AgePlace>) =>
      pageOf(request, {
        read: (batch) => store.listApplications(values, { ...batch, createdSinceMs }),
        placeOf: ({ createdAtMs, id }) => ({ createdAtMs, id }),
        matches: allOf(
          nameContains !== undefined && (({ name }: OwnedApplication) => containsText(name, nameContains)),
          verified !== undefined && ((application: OwnedApplication) => application.verified === verified),
        ),
      }),

    /** See {@link ApplicationStore.deleteApplication}. */
    remove: (id: ApplicationId) => store.deleteApplication(id, null, clock.nowMs()),

    setDisabled: (id: ApplicationId, disabled: boolean) => store.setDisabled(id, disabled, clock.nowMs()),

    /** Creates or updates the service's own application. It needs no secret, because it runs in this process. */
    async ensureFirstParty(application: PortalApplication): Promise<void> {
      // The redirect URIs come from the configuration, so they are not validated.
      const { id, clientId, ...wanted } = application
      const change = { ...wanted, environment: 'production', firstParty: true, ownerId: null } as const
      const changed = await store.changeApplication(id, null, change, clock.nowMs())
      if (changed.kind !== 'unknown') return
      const added = { ...newApplication(id, null, clock.nowMs()), ...change, clientId }
      const outcome = await store.addApplication(added, null)
      if (outcome === 'added') return
      // Either another node has just created the application, or the application was deleted.
      const again = await store.changeApplication(id, null, change, clock.nowMs())
      if (again.kind === 'unknown') throw new ApplicationRefusal('application-removed', { detail: `application ${id}` })
    },
  }
}
