import { Problem } from '../../../rest/problem.ts'

/** Returns the error for calls that try to change the service's own application. */
export function ownPortal(): Problem {
  return new Problem(409, 'This application is the service’s own developer portal. Choose another ID.')
}
