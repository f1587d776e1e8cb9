import type { ApplicationStore, AuthenticationRow } from '../../domain/applications/application-store.ts'
import type { ClientId } from '../../domain/ids.ts'
import { sqlApplications } from '../sql/applications/applications.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { storable } from './storable.ts'
import { TickBatch } from './tick-batch.ts'

const selectSecrets = `SELECT client_id, id, number, digest
  FROM applications LEFT JOIN client_secrets ON application_id = id
  WHERE client_id = ANY($1) AND deleted_at_ms IS NULL AND disabled_at_ms IS NULL`

/**
 * Applications in PostgreSQL. One statement reads the secrets of all clients that authenticate in one event loop tick.
 * A request never uses the result of a statement that started before the request arrived: a secret in that result may
 * have been replaced since.
 */
export function postgresApplications(database: PostgresDatabase): ApplicationStore {
  const authentications = new TickBatch<ClientId, readonly AuthenticationRow[]>({
    perform: async (clientIds) => {
      const asked = [...new Set(clientIds.map(storable))]
      const rows = await database.pool.rowsOnce<AuthenticationRow & { client_id: string }>(selectSecrets, [asked])
      const byClient = Map.groupBy(rows, ({ client_id: clientId }) => clientId)
      return clientIds.map((clientId) => byClient.get(clientId) ?? [])
    },
    maxItems: 500,
  })
  return { ...sqlApplications(database), findForAuthentication: (clientId) => authentications.add(clientId) }
}
