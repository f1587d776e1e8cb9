import type { PageFrame } from '../../../pages/page.ts'
import { portalPlace } from '../../../pages/places.ts'

export type PortalPerson = NonNullable<PageFrame['person']>

/** What stands in the frame of every page for somebody who is signed in. */
export function portalFrame(person: PortalPerson | undefined): Pick<PageFrame, 'place' | 'person' | 'width'> {
  return { place: portalPlace, person, width: 'wide' }
}
