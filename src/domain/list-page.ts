import { yieldToOthers } from './background-work.ts'
import * as limits from './limits/limits.ts'

/** `after` is the place of the last item of the previous page; `undefined` starts at the beginning. */
export interface PageRequest<Place> {
  after: Place | undefined
  most: number
}

export interface ListPage<Item, Place> {
  items: Item[]
  next: Place | undefined
}

/** A record's place in a list sorted newest first, and by descending ID among records created at the same time. */
export interface AgePlace {
  createdAtMs: number
  id: string
}

export interface NewestFirst extends PageRequest<AgePlace> {
  createdSinceMs?: number | undefined
}

interface ListSource<Item, Place> {
  /** Returns the items after a place. Returns fewer than `most` items only at the end of the list. */
  read(request: PageRequest<Place>): Promise<readonly Item[]>
  placeOf(item: Item): Place
  matches?: ((item: Item) => boolean) | undefined
}

/**
 * Returns the next page of the matching items. Reads at most {@link listRowsMax} rows, in batches, so that other work
 * runs in between. A page can therefore contain fewer than `most` items, or none, even if it isn't the last one.
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

export function containsText(text: string | null, part: string): boolean {
  return text !== null && folded(text).includes(folded(part))
}

/** Combines conditions. Returns `undefined`, which matches everything, if there are none. */
export function allOf<Item>(
  ...conditions: readonly (((item: Item) => boolean) | false | undefined)[]
): ((item: Item) => boolean) | undefined {
  const given = conditions.filter((condition) => typeof condition === 'function')
  return given.length === 0 ? undefined : (item) => given.every((condition) => condition(item))
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
