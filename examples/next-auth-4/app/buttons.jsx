'use client'
import { signIn, signOut } from 'next-auth/react'
import { useEffect, useState } from 'react'

/**
 * First tries without the consent page: most users have already consented.
 *
 * @param again whether the first try ended with `consent_required`: a scope is not granted yet, so the consent page is
 *   needed.
 */
export function SignInButton({ again }) {
  const ready = useReady()
  useEffect(() => {
    if (again) signIn('gatehouse', { callbackUrl: '/' })
  }, [again])
  const start = () => signIn('gatehouse', { callbackUrl: '/' }, { consent: 'skip' })
  return (
    <button type="button" disabled={!ready} onClick={start}>
      Sign in with Gatehouse
    </button>
  )
}

/** Returns whether the page's script runs. Before that, a click would do nothing. */
function useReady() {
  const [ready, setReady] = useState(false)
  useEffect(() => setReady(true), [])
  return ready
}

export function SignOutButton() {
  const ready = useReady()
  return (
    <button type="button" disabled={!ready} onClick={() => signOut({ callbackUrl: '/' })}>
      Sign out
    </button>
  )
}
