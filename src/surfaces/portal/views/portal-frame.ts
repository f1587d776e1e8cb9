import type { PageFrame, Person } from '../../../pages/page.ts'
import { portalPlace, portalPlaces } from '../../../pages/places.ts'

export function portalFrame(
  person: Person | undefined,
  current: 'applications' | 'reference' = 'applications',
): Pick<PageFrame, 'place' | 'places' | 'person' | 'width'> {
  return { place: portalPlace, places: portalPlaces(current), person, width: 'wide' }
}
