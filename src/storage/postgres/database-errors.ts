import { Refusal } from '../../domain/refusal.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'

/** Returns whether the transaction conflicted with another one: serialization failure, deadlock or lock timeout. */
export function isConflict(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01' || code === '55P03'
}

/** Returns whether a row with the same key exists. A retry sees a row that another transaction inserted. */
export function isDuplicate(error: unknown): boolean {
  return (error as { code?: string }).code === '23505'
}

/** Returns whether the server is read-only, for example after a failover. Its connections must be replaced. */
export function isReadOnlyError(error: unknown): boolean {
  return (error as { code?: string }).code === '25006'
}

/** Codes of Node and OpenSSL for a failed handshake or an unacceptable certificate. */
const tlsError = /^(ERR_(TLS|SSL|OSSL)_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/

function isNetworkError(code: string): boolean {
  return /^E[A-Z]+$/.test(code) || tlsError.test(code)
}

/**
 * Returns `StoreUnavailable` if the SQLSTATE or network error code means that the database can't do the work now, for
 * instance for a rejected connection (28, 3D, 55) or a lock timeout (55). Returns other errors unchanged.
 */
export function unavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailable || error instanceof Refusal) return error
  const { code, message } = error as { code?: string; message?: string }
  const isUnavailable =
    code === undefined
      ? /timeout|terminated|Connection|ended|queryable|SSL/.test(message ?? '')
      : /^(08|28|3D|53|55|57|58|25006|XX|40)/.test(code) || isNetworkError(code)
  return isUnavailable ? new StoreUnavailable('database unavailable', error) : error
}

/**
 * Returns whether the error means that the host is gone, read-only or refuses connections, so that another one may have
 * become the primary. A frozen host keeps all connections of a pool in use. All other errors come from a server that
 * still answers: a statement timeout, a full disk, an unavailable Citus worker.
 */
export function isHostFailure(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === undefined || /^(08P01|25006|28|3D|53300|57P0[1-3])/.test(code) || isNetworkError(code)
}
