/** Starts the work for each number below `count` at once. Returns the results in order. */
export function atOnce<T>(count: number, work: (n: number) => T | Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => work(n)))
}

/** Counts the outcomes of each kind. */
export function tally(outcomes: readonly (string | { kind: string })[]): Record<string, number> {
  const kinds = Object.groupBy(outcomes, (outcome) => (typeof outcome === 'string' ? outcome : outcome.kind))
  return Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, all?.length ?? 0]))
}

/** Returns this member of each item. */
export function pluck<Item, Member extends keyof Item>(items: Iterable<Item>, member: Member): Item[Member][] {
  return Array.from(items, (item) => item[member])
}

/**
 * Wraps the store so that this method's results wait for `release`. `reached` resolves once the method has done its work
 * for the first time.
 */
export function heldBack<Store extends object>(store: Store, method: keyof Store) {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held = async (...args: unknown[]) => {
    const result = await (store[method] as (...args: unknown[]) => unknown)(...args)
    reached.resolve()
    await released.promise
    return result
  }
  return { store: { ...store, [method]: held }, reached: reached.promise, release: () => released.resolve() }
}
