import { signOut } from '../../auth.js'

export function POST() {
  return signOut({ redirectTo: '/' })
}
