// recipe: sign in
'use client'
import { signIn, signOut } from 'next-auth/react'
import { useEffect } from 'react'

/**
 * Tries without the consent page first, because most users return.
 *
 * @param again whether that try ended with `consent_required`. A scope is not granted yet, so the consent page is needed.
 */
export function SignInButton({ again }) {
  useEffect(() => {
    if (again) signIn('gatehouse', { callbackUrl: '/' })
  }, [again])
  return (
    <button type="button" onClick={() => signIn('gatehouse', { callbackUrl: '/' }, { consent: 'skip' })}>
      Sign in with Gatehouse
    </button>
  )
}
// end of recipe

export function SignOutButton() {
  return (
    <button type="button" onClick={() => signOut({ callbackUrl: '/' })}>
      Sign out
    </button>
  )
}
