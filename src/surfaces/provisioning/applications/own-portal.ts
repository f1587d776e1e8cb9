import { Problem } from '../../../rest/problem.ts'

/** The service's own application can't be changed by calls. */
export function ownPortal(): Problem {
  return new Problem(409, 'This application is the service’s own developer portal. Choose another ID.')
}
