import type { PageFrame, Person } from '../../../pages/page.ts'
import { portalPlace } from '../../../pages/places.ts'

/** What stands in the frame of every page for somebody who is signed in. */
export function portalFrame(person: Person | undefined): Pick<PageFrame, 'place' | 'person' | 'width'> {
  return { place: portalPlace, person, width: 'wide' }
}
