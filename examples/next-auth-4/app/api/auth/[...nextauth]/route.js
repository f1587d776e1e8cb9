import { redirect } from 'next/navigation'
import NextAuth from 'next-auth'
import { authOptions } from '../../../../auth.js'

const handler = NextAuth(authOptions)

export function GET(request, context) {
  const error = request.nextUrl.searchParams.get('error')
  // next-auth reports every error in the redirect as OAuthCallback, so these two errors are passed to the page instead.
  if (error === 'consent_required' || error === 'access_denied') return redirect(`/?error=${error}`)
  return handler(request, context)
}

export { handler as POST }
