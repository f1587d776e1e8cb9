import type { PageFrame, Person } from '../../../pages/page.ts'
import { portalPlace } from '../../../pages/places.ts'

export function portalFrame(person: Person | undefined): Pick<PageFrame, 'place' | 'person' | 'width'> {
  return { place: portalPlace, person, width: 'wide' }
}
