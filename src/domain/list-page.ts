import { yieldToOthers } from './background-work.ts'
import * as limits from './limits/limits.ts'

/** A request for up to `most` items of a list, starting after a given place. */
export interface PageRequest<Place> {
  /** Place of the last item of the previous page. `undefined` starts at the beginning of the list. */
  after: Place | undefined
  most: number
}

export interface ListPage<Item, Place> {
  items: Item[]
  /** Value of `after` for the next page. `undefined` on the last page. */
  next: Place | undefined
}

/** A record's place in a list sorted newest first, and by descending ID among records created at the same time. */
export interface AgePlace {
  createdAtMs: number
  id: string
}

/** A request for records from a store, newest first. */
export interface NewestFirst extends PageRequest<AgePlace> {
  /** Selects only records created at or after this time. */
  createdSinceMs?: number | undefined
}

interface ListSource<Item, Place> {
  /** Returns the items after a place. Returns fewer than `most` items only at the end of the list. */
  read(request: PageRequest<Place>): Promise<readonly Item[]>
  placeOf(item: Item): Place
  /** Condition that an item must meet. `undefined` matches every item. */
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
  const batchSize = matches === undefined ? most + 1 : Math.max(most + 1, limits.listRowsAtOnce)
  const items: Item[] = []
  let place = after
  for (let rowsRead = 0; rowsRead < limits.listRowsMax; rowsRead += batchSize) {
    const batch = await read({ after: place, most: batchSize })
    for (const item of batch) {
      if (matches?.(item) === false) continue
      if (items.length === most) return { items, next: placeOf(items.at(-1) as Item) }
      items.push(item)
    }
    const last = batch.at(-1)
    if (last === undefined || batch.length < batchSize) return { items, next: undefined }
    place = placeOf(last)
    await yieldToOthers()
  }
  return { items, next: place }
}

/** Returns whether the text contains the part, ignoring case. */
export function containsText(text: string | null, part: string): boolean {
  return text !== null && folded(text).includes(folded(part))
}

/**
 * Combines conditions, all of which an item must meet. Returns `undefined`, which matches everything, if there are no
 * conditions.
 */
export function allOf<Item>(
  ...conditions: readonly (((item: Item) => boolean) | false | undefined)[]
): ((item: Item) => boolean) | undefined {
  const given = conditions.filter((condition) => typeof condition === 'function')
  return given.length === 0 ? undefined : (item) => given.every((condition) => condition(item))
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
