import { listRowsAtOnce, listRowsMax } from './limits/limits.ts'

/** Asks for up to `most` items of a list that follow a place in it. */
export interface PageRequest<Place> {
  /** `undefined` starts at the beginning of the list. */
  after: Place | undefined
  most: number
}

export interface ListPage<Item, Place> {
  items: Item[]
  /** Pass this as `after` to get the next page. `undefined` on the last page. */
  next: Place | undefined
}

/** A record's place in a list sorted newest first, and by descending ID among records created at the same time. */
export interface AgePlace {
  createdAtMs: number
  id: string
}

/** Asks a store for records, newest first. */
export interface NewestFirst extends PageRequest<AgePlace> {
  /** Only records created at or after this time. */
  createdSinceMs?: number | undefined
}

interface ListSource<Item, Place> {
  /** Returns the items that follow the place: fewer than `most` only at the end of the list. */
  read(request: PageRequest<Place>): Promise<readonly Item[]>
  placeOf(item: Item): Place
  /** `undefined` matches every item. */
  matches?: ((item: Item) => boolean) | undefined
}

/**
 * Returns the next page of the matching items.
 *
 * Reads at most {@link listRowsMax} rows, in batches, so that other work runs in between. A page can therefore contain
 * fewer than `most` items, or none, even if it isn't the last one.
 */
export async function pageOf<Item, Place>(
  { after, most }: PageRequest<Place>,
  { read, placeOf, matches }: ListSource<Item, Place>,
): Promise<ListPage<Item, Place>> {
  const batchSize = matches === undefined ? most + 1 : Math.max(most + 1, listRowsAtOnce)
  const items: Item[] = []
  let place = after
  for (let rowsRead = 0; rowsRead < listRowsMax; rowsRead += batchSize) {
    const batch = await read({ after: place, most: batchSize })
    for (const item of batch) {
      if (matches?.(item) === false) continue
      if (items.length === most) return { items, next: placeOf(items.at(-1) as Item) }
      items.push(item)
    }
    const last = batch.at(-1)
    if (last === undefined || batch.length < batchSize) return { items, next: undefined }
    place = placeOf(last)
    // SQLite reads synchronously, so without this the event loop would be blocked until the page is complete.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { items, next: place }
}

/** Returns whether the text contains the part, ignoring case. */
export function containsText(text: string | null, part: string): boolean {
  return text !== null && folded(text).includes(folded(part))
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** Combines conditions. Returns `undefined`, which matches everything, if there are none. */
export function allOf<Item>(
  ...conditions: readonly (((item: Item) => boolean) | false | undefined)[]
): ((item: Item) => boolean) | undefined {
  const given = conditions.filter((condition) => typeof condition === 'function')
  return given.length === 0 ? undefined : (item) => given.every((condition) => condition(item))
}
