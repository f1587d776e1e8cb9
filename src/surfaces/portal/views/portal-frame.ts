import type { PageFrame, Person } from '../../../pages/page.ts'
import { applicationsPlace } from '../../../pages/places.ts'

export function portalFrame(person: Person | undefined): Pick<PageFrame, 'place' | 'person' | 'width'> {
  return { place: applicationsPlace, person, width: 'wide' }
}
