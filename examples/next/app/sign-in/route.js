import { signIn } from '../../auth.js'

// recipe: sign in
/** Tries without the consent page first, because most users return. */
export function POST() {
  return signIn('gatehouse', { redirectTo: '/' }, { consent: 'skip' })
}
// end of recipe
