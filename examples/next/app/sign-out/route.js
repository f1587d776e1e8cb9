// recipe: sign out
import { signOut } from '../../auth.js'

export function POST() {
  return signOut({ redirectTo: '/' })
}
// end of recipe
