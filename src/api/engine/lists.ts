import * as limits from '../../domain/limits/limits.ts'
import { type AgePlace, type ListPage, type PageRequest, pageOf } from '../../domain/list-page.ts'
import { type Schema, Type } from '../../http/json-schema.ts'
import { malformedParameter } from './parameters.ts'
import { isoTimePattern, isoTimeText, nullable } from './schemas.ts'

export const pageParameters = {
  limit: Type.Integer({
    minimum: 1,
    maximum: limits.listItemsMax,
    default: limits.listItemsDefault,
    description: 'maximum number of items in the page',
  }),
  after: Type.String({
    maxLength: limits.listCursorMaxCharacters,
    description: 'the value of next in the previous page',
  }),
}

export const nameContains = Type.String({
  minLength: 1,
  maxLength: limits.listFilterMaxCharacters,
  description: `part of the name, 1 to ${limits.listFilterMaxCharacters} characters, ignoring case`,
})

/** A time, which a handler receives in milliseconds since the epoch. `only` says what it restricts the list to. */
export const timeParameter = (only: string): Schema<number> => {
  return { type: 'string', format: 'date-time', pattern: isoTimePattern, description: `${isoTimeText}; ${only}` }
}

export const createdSince = timeParameter('only records created at or after it')

export function listBody<Item>(title: string, item: Schema<Item>) {
  return Type.Object(
    {
      items: Type.Array(item),
      next: nullable(Type.String(), 'the cursor of the next page, to send as after, or null on the last page'),
    },
    { title },
  )
}

/** Sentence for the description of a list whose pages can be short, because its filters have no index. */
export const shortPages =
  'A page can have fewer items than limit, or none, even if it isn’t the last one: next is null only on the last page.'

/** Converts between a place in a list and its cursor, which is opaque to clients. */
export interface Cursors<Place> {
  partsOf(place: Place): readonly (string | number)[]
  /** Returns `undefined` if the parts don't form a place. */
  placeOf(parts: readonly unknown[]): Place | undefined
}

/** Returns the cursors of lists in which a place is an object with these members. */
export function cursorsOf<Place extends object>(members: Record<keyof Place, 'integer' | 'text'>): Cursors<Place> {
  const kinds = Object.entries(members) as [keyof Place & string, 'integer' | 'text'][]
  return {
    partsOf: (place) => kinds.map(([name]) => place[name] as string | number),
    placeOf(parts) {
      const fits = ([, kind]: (typeof kinds)[number], at: number) =>
        kind === 'integer' ? Number.isSafeInteger(parts[at]) : isCursorText(parts[at])
      if (parts.length !== kinds.length || !kinds.every(fits)) return undefined
      return Object.fromEntries(kinds.map(([name], at) => [name, parts[at]])) as Place
    },
  }
}

export const ageCursors = cursorsOf<AgePlace>({ createdAtMs: 'integer', id: 'text' })

/** Cursors of lists in which a place is an ID or a name. */
export const nameCursors: Cursors<string> = {
  partsOf: (name) => [name],
  placeOf: ([name, ...others]) => (isCursorText(name) && others.length === 0 ? name : undefined),
}

function isCursorText(part: unknown): part is string {
  return typeof part === 'string' && /^[!-~]{1,128}$/.test(part)
}

/** @throws Problem 400 if `after` isn't one of the list's cursors. */
export function pageRequest<Place>(
  { limit, after }: { limit: number | undefined; after: string | undefined },
  cursors: Cursors<Place>,
): PageRequest<Place> {
  const most = limit ?? limits.listItemsDefault
  if (after === undefined) return { after, most }
  const parts = partsIn(after)
  const place = parts && cursors.placeOf(parts)
  if (place === undefined) throw malformedParameter('after', `${pageParameters.after.description}`)
  return { after: place, most }
}

/** Returns a page of a list that is read whole, because it is short. Sorts it by name. */
export function pageOfAll<Item>(
  all: readonly Item[],
  nameOf: (item: Item) => string,
  request: PageRequest<string>,
): Promise<ListPage<Item, string>> {
  const byName = (one: Item, other: Item) => (nameOf(one) < nameOf(other) ? -1 : 1)
  const sorted = all.toSorted(byName)
  return pageOf(request, {
    read: async ({ after, most }) =>
      sorted.filter((item) => after === undefined || nameOf(item) > after).slice(0, most),
    placeOf: nameOf,
  })
}

export function listResponse<Item, Place, Shown>(
  { items, next }: ListPage<Item, Place>,
  cursors: Cursors<Place>,
  shown: (item: Item) => Shown,
): { items: Shown[]; next: string | null } {
  const cursor = next && Buffer.from(JSON.stringify(cursors.partsOf(next))).toString('base64url')
  return { items: items.map(shown), next: cursor ?? null }
}

function partsIn(cursor: string): readonly unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : undefined
  } catch {
    return undefined
  }
}
