/** Returns an array per key, with that property of each item, as parameters for `unnest`. */
export function columnsOf<Item>(items: readonly Item[], ...keys: (keyof Item)[]): unknown[][] {
  return keys.map((key) => items.map((item) => item[key]))
}
