import { LastUsedTimes } from '../background-work.ts'
import type { Clock } from '../clock.ts'
import { type ApplicationId, type ClientId, type Secrets, sameDigest } from '../ids-and-secrets.ts'
import { ApplicationRefusal } from './application-form.ts'
import type { Application, ApplicationStore } from './application-store.ts'

export type Client = Pick<Application, 'id' | 'clientId'>

export type Clients = ReturnType<typeof createClients>

export function createClients({ store, secrets, clock }: { store: ApplicationStore; secrets: Secrets; clock: Clock }) {
  const secretUses = new LastUsedTimes()

  return {
    find: (clientId: ClientId) => store.findByClientId(clientId),
    findById: (id: ApplicationId) => store.findById(id),

    /** @throws ApplicationRefusal `client-unknown`, `client-secret-wrong`. Answer both alike (RFC 6749 section 5.2). */
    async authenticate(clientId: ClientId, clearTextSecret: string): Promise<Client> {
      const found = await store.findForAuthentication(clientId)
      const [first] = found
      if (first === undefined) throw new ApplicationRefusal('client-unknown')
      const right = secrets.find(clearTextSecret, (presented) =>
        found.find(({ digest }) => digest !== null && sameDigest(digest, presented)),
      )
      if (right !== undefined && right.number !== null) {
        secretUses.record(right.number, clock.nowMs())
        return { id: right.id, clientId }
      }
      throw new ApplicationRefusal('client-secret-wrong', { detail: `client ${clientId}`, applicationId: first.id })
    },

    recordSecretUse: () => secretUses.flush((lastUsedAtMs) => store.recordSecretUse(lastUsedAtMs)),
  }
}
