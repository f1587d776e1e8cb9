import { auth } from '../auth.js'

const messages = { access_denied: 'You chose Deny, so nobody was signed in.' }

export default async function Page({ searchParams }) {
  const { error } = await searchParams
  const session = await auth()
  return (
    <>
      <h1>Next example</h1>
      {session === null ? (
        <form method="post" action="/sign-in">
          {error && <p>{messages[error] ?? 'The sign-in failed. Please try again.'}</p>}
          <button type="submit">Sign in with Gatehouse</button>
        </form>
      ) : (
        <form method="post" action="/sign-out">
          <p>{`Signed in as ${session.user.name}.`}</p>
          <button type="submit">Sign out</button>
        </form>
      )}
    </>
  )
}
