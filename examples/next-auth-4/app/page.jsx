import { getServerSession } from 'next-auth'
import { authOptions } from '../auth.js'
import { SignInButton, SignOutButton } from './buttons.jsx'

const messages = { access_denied: 'You chose Deny, so nobody was signed in.' }

export default async function Page({ searchParams }) {
  const { error } = await searchParams
  const session = await getServerSession(authOptions)
  return (
    <>
      <h1>next-auth 4 example</h1>
      {session === null ? (
        <>
          {error && error !== 'consent_required' && <p>{messages[error] ?? 'The sign-in failed. Please try again.'}</p>}
          <SignInButton again={error === 'consent_required'} />
        </>
      ) : (
        <>
          <p>{`Signed in as ${session.user.name}.`}</p>
          <SignOutButton />
        </>
      )}
    </>
  )
}
