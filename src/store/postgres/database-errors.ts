import { StoreUnavailable } from '../../domain/store-unavailable.ts'

/** Returns whether the transaction met another one: serialization failure, deadlock, or a row locked for too long. */
export function metAnother(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === '40001' || code === '40P01' || code === '55P03'
}

/** Returns whether another transaction stored the row first. The work sees that row when performed again. */
export function isDuplicate(error: unknown): boolean {
  return (error as { code?: string }).code === '23505'
}

/** The server became a standby: its connections are of no use any more. */
export function takesNoWrites(error: unknown): boolean {
  return (error as { code?: string }).code === '25006'
}

/**
 * Returns `StoreUnavailable` for an error that says the database can't take the work now: by SQLSTATE class, or by what
 * the network says. That includes a server that refuses the connection (28, 3D, 55). Other errors are returned as they are.
 */
export function unavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  const { code, message } = error as { code?: string; message?: string }
  const ofTheDatabase =
    code === undefined
      ? /timeout|terminated|Connection|ended/.test(message ?? '')
      : /^(08|28|3D|53|55|57|58|25006|XX|40)/.test(code) || /^E[A-Z]+$/.test(code)
  return ofTheDatabase ? new StoreUnavailable('the database did not take the work', error) : error
}
