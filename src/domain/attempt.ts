import { StoreUnavailable } from './store-unavailable.ts'

/** Log fields that identify what a step works on: IDs and names, never secrets. */
export type Subject = Readonly<Record<string, string | number>>

/** Receives failures that nobody waits for. @param doing what failed, such as "lease release" */
export type OnFault = (error: unknown, doing: string, subject?: Subject) => void

/** Performs one step of a background loop and resolves with its result, or with `undefined` when it failed. */
export type Attempt = <T>(doing: string, subject: Subject, step: () => T | Promise<T>) => Promise<T | undefined>

/**
 * Returns a function that isolates steps of a background loop: a failed step is reported and does not stop the others.
 */
export function attempts(onFault: OnFault): Attempt {
  return async (doing, subject, step) => {
    try {
      return await step()
    } catch (error) {
      onFault(error, doing, subject)
      return undefined
    }
  }
}

/**
 * Performs the work for all items together. If that fails, bisects the items, so that only the failing ones fail.
 *
 * @param work must be atomic, since it is repeated with fewer items after a failure.
 * @param onFailed is called for each item whose work fails when performed alone.
 * @throws StoreUnavailable when the store is unavailable; the remaining items are then not tried.
 */
export async function isolating<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<void>,
  onFailed: (item: Item, error: unknown) => void,
): Promise<void> {
  if (items.length === 0) return
  try {
    await work(items)
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    const [only] = items
    if (items.length === 1) {
      onFailed(only as Item, error)
      return
    }
    const half = items.length >> 1
    await isolating(items.slice(0, half), work, onFailed)
    await isolating(items.slice(half), work, onFailed)
  }
}
