import type { Html } from '../../../pages/html.ts'
import { type PageFrame, type Person, page } from '../../../pages/page.ts'
import { accountParts, accountPlace } from '../../../pages/places.ts'
import { subscriptionWords } from '../words.ts'

export const listAddress = '/account/subscriptions'
/** Breadcrumbs of the pages below the list of subscriptions. */
export const listTrail = [accountParts.applications, { name: subscriptionWords.title, href: listAddress }]

/** Returns the frame of the subscription pages, which are part of the account pages. */
export function frameOf(person: Person | undefined): Pick<PageFrame, 'place' | 'trail' | 'person'> {
  return { place: accountPlace, trail: listTrail, person }
}

export function subscriptionsFrame(
  person: Person,
  frame: Pick<PageFrame, 'title' | 'trail' | 'width' | 'canonical' | 'shownOnce' | 'body'>,
): Html {
  return page({ ...frameOf(person), ...frame })
}
