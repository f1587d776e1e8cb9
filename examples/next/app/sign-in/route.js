import { signIn } from '../../auth.js'

/** First tries without the consent page: most users have already consented. */
export function POST() {
  return signIn('gatehouse', { redirectTo: '/' }, { consent: 'skip' })
}
