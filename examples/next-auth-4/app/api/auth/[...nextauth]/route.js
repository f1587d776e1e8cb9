// recipe: route
import { redirect } from 'next/navigation'
import NextAuth from 'next-auth'
import { authOptions } from '../../../../auth.js'

const handler = NextAuth(authOptions)

export function GET(request, context) {
  const error = request.nextUrl.searchParams.get('error')
  // next-auth reports every error of the redirect as OAuthCallback, so these two are passed on to the page.
  if (error === 'consent_required' || error === 'access_denied') return redirect(`/?error=${error}`)
  return handler(request, context)
}

export { handler as POST }
// end of recipe
