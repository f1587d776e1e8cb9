import { redirect } from 'next/navigation'
import { handlers, signIn } from '../../../../auth.js'

export async function GET(request) {
  // Auth.js reports every error in the redirect as OAuthCallbackError, so these two errors are handled here first.
  switch (request.nextUrl.searchParams.get('error')) {
    case 'consent_required':
      // A scope is not granted yet, so the consent page is needed.
      return signIn('gatehouse', { redirectTo: '/' })
    case 'access_denied':
      return redirect('/?error=access_denied')
    default:
      return handlers.GET(request)
  }
}

export const { POST } = handlers
