import type { Html } from '../../../pages/html.ts'
import { type PageFrame, type Person, page } from '../../../pages/page.ts'
import { identityPlace, identityPlaces } from '../../../pages/places.ts'

export const listAddress = '/account/subscriptions'

/** The page frame of all pages of subscriptions, which belong to the account. */
export function frameOf(person: Person | undefined): Pick<PageFrame, 'place' | 'places' | 'person'> {
  return { place: identityPlace, places: identityPlaces('account'), person }
}

export function subscriptionsFrame(
  person: Person,
  frame: Pick<PageFrame, 'title' | 'width' | 'canonical' | 'shownOnce' | 'body'>,
): Html {
  return page({ ...frameOf(person), ...frame })
}
