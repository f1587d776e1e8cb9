import type { PageFrame, Person } from '../../../pages/page.ts'
import { portalPlace, portalPlaces } from '../../../pages/places.ts'

export function guidesFrame(person: Person | undefined): Pick<PageFrame, 'place' | 'places' | 'person' | 'width'> {
  return { place: portalPlace, places: portalPlaces('guides'), person, width: 'wide' }
}
