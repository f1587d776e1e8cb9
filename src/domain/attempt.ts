import { StoreUnavailable } from './store-unavailable.ts'

/** What a step is about, for the log: ids and names, never secrets. */
export type Subject = Readonly<Record<string, string | number>>

/** Receives failures that nobody waits for. @param doing what failed, such as "lease release" */
export type OnFault = (error: unknown, doing: string, subject?: Subject) => void

/** Performs one step of a background loop and resolves with its result, or with `undefined` when it failed. */
export type Attempt = <T>(doing: string, subject: Subject, step: () => T | Promise<T>) => Promise<T | undefined>

/** Isolates the steps of a background loop: one that fails is reported and ends no other. */
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
 * Does the work for all items at once. When that fails, it halves the items until those that fail stand alone, so that
 * one item never keeps the others from being done.
 *
 * @param work all or nothing; does itself what follows from its success.
 * @throws StoreUnavailable when the store can't be reached: then no item can be done.
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
