import type { PageFrame, Person } from '../../../pages/page.ts'
import { referencePlace } from '../../../pages/places.ts'

export function guidesFrame(person: Person | undefined): Pick<PageFrame, 'place' | 'person' | 'width'> {
  return { place: referencePlace, person, width: 'wide' }
}
