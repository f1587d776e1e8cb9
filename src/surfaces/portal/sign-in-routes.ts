import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { Applications } from '../../domain/applications/applications.ts'
import { portalClientId } from '../../domain/applications/portal-application.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import { AuthorizationRefusal } from '../../domain/authorization/refusal.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { newErrorId } from '../../pages/error-page.ts'
import { sendPage } from '../../pages/page.ts'
import type { BrowserSessions } from '../../pages/sessions.ts'
import type { PortalSignIn, ReturnedSignIn } from './portal-sign-in.ts'
import { type SignInFault, signedOutPage, signInFaultPage } from './views/sign-in-pages.ts'

export interface PortalSignInServices {
  accounts: Pick<Accounts, 'sessions'>
  applications: Pick<Applications, 'clients'>
  authorization: Pick<Authorization, 'tokens' | 'liveTokens'>
  sessions: BrowserSessions
  signIn: PortalSignIn
  baseUrl: string
}

/** Registers `/callback`, the redirect URI for the portal's sign-in, and `/sign-out`. */
export function signInRoutes(app: FastifyInstance, services: PortalSignInServices): void {
  app.get('/callback', async (request, reply) => {
    const { state, code, error } = request.query as Record<string, unknown>
    const returned = typeof state === 'string' ? services.signIn.finish(request, state) : undefined
    if (returned === undefined) return refuse('state-unknown', undefined, request, reply)
    if (typeof code !== 'string') return refuse('denied', typeof error === 'string' ? error : undefined, request, reply)
    try {
      await signIn(services, request, reply, code, returned)
    } catch (refusal) {
      if (!(refusal instanceof AuthorizationRefusal)) throw refusal
      // The user may have opened the callback again, for example with the back button. If the user is signed in,
      // continue.
      const signedIn = (await services.sessions.current(request)) !== undefined
      if (!signedIn) return refuse('refused', refusal.reason, request, reply)
    }
    return reply.header('cache-control', 'no-store').redirect(returned.returnTo, 303)
  })

  app.get('/sign-out', async (request, reply) => {
    if ((await services.sessions.current(request)) !== undefined) return reply.redirect('/', 302)
    return sendPage(reply, signedOutPage(`${services.baseUrl}/account`))
  })

  app.post('/sign-out', async (request, reply) => {
    await services.sessions.end(request, reply)
    return reply.redirect('/sign-out', 303)
  })
}

/**
 * Redeems the code and starts the session. This happens within the process, so neither code nor token is sent over the
 * network.
 *
 * @throws AuthorizationRefusal
 */
async function signIn(
  { applications, authorization, accounts, sessions, signIn }: PortalSignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  clearTextCode: string,
  { clearTextVerifier }: ReturnedSignIn,
): Promise<void> {
  const client = await applications.clients.find(portalClientId)
  if (client === undefined) throw new Error('portal application is not registered')
  const { redirectUri } = signIn
  const origin = browserInfo(request)
  const tokens = await authorization.tokens.redeemCode({
    client,
    clearTextCode,
    redirectUri,
    clearTextVerifier,
    origin,
  })
  const bearer = await authorization.liveTokens.authenticate(tokens.accessToken)
  const started = await accounts.sessions.start(bearer.userId, 'portal', origin, 'portal')
  await sessions.replace(request, reply, started)
}

function refuse(fault: SignInFault, detail: string | undefined, request: FastifyRequest, reply: FastifyReply) {
  const errorId = newErrorId()
  request.log.info({ errorId, fault, detail }, 'portal sign-in refused')
  return sendPage(reply, signInFaultPage(fault, errorId), { status: 400 })
}
