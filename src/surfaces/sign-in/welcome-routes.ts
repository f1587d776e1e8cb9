import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Applications } from '../../domain/applications/applications.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { UserId } from '../../domain/ids.ts'
import type { Mount } from '../../http/new-app.ts'
import { applicationAhead, type Destination, destinationInUrl, withDestination } from '../../pages/destination.ts'
import { sendPage } from '../../pages/page.ts'
import { type SignInServices, sendSignUp, signUp, unfilled } from './routes.ts'
import { type Rejected, signUpFields } from './views/sign-in-pages.ts'
import { firstStepsPage, welcomePage } from './views/welcome-pages.ts'

interface WelcomeServices extends SignInServices {
  applications: Pick<Applications, 'owned'>
  bots: Pick<Bots, 'ownStatus'>
  portalUrl: string
  controlUrl: string
}

/**
 * `/` and `/welcome`: pages for creating the first account and, until they are done, for a user's first steps.
 *
 * Anyone can create the first account, so these pages contain no secrets. Their shell commands read the operator key on
 * the machine itself.
 */
export function welcomeSurface(services: WelcomeServices): Mount {
  return (app) => {
    app.get('/', async (_request, reply) =>
      reply.redirect((await services.accounts.users.hasAny()) ? '/account' : '/welcome', 302),
    )

    app.get('/welcome', async (request, reply) => {
      const population = await services.accounts.users.accountCount()
      if (population === 'nobody') {
        const onward = await destinationInUrl(request, services.authorization)
        return sendWelcome(services, request, reply, onward, unfilled(signUpFields, request))
      }
      const formToken = services.formTokens.issue(request, reply)
      const session = await services.sessions.current(request)
      if (session === undefined) return reply.redirect('/account', 302)
      const [[application], [bot]] = await Promise.all([
        services.applications.owned.list(session.userId),
        services.bots.ownStatus.list(session.userId),
      ])
      if (application !== undefined && bot !== undefined && session.hasPin) return reply.redirect('/account', 302)
      const view = firstStepsPage({
        person: { name: session.userName, signOutAction: '/sign-out', formToken },
        portalUrl: services.portalUrl,
        application,
        bot: bot?.bot,
        hasPin: session.hasPin,
        // Only the first user is likely to be the operator.
        commands: population === 'one' && {
          makeBot: makeBotLine(services.controlUrl, session.userId),
          makeFlow: makeFlowLine(services.controlUrl),
        },
      })
      return sendPage(reply, view)
    })

    app.post('/welcome', async (request, reply) =>
      signUp(services, request, reply, async (onward, filled) => {
        const sendForm = (await services.accounts.users.hasAny()) ? sendSignUp : sendWelcome
        return sendForm(services, request, reply, onward, filled)
      }),
    )
  }
}

function sendWelcome(
  { accounts, formTokens, controlUrl }: WelcomeServices,
  request: FastifyRequest,
  reply: FastifyReply,
  onward: Destination,
  filled: Rejected<typeof signUpFields>,
): FastifyReply {
  const view = welcomePage({
    form: accounts.signUpOpen
      ? {
          formToken: formTokens.issue(request, reply),
          action: withDestination('/welcome', onward),
          filled,
        }
      : null,
    makeAccountLine: controlLine(controlUrl, '/v1/users/ada', {
      name: 'Ada',
      email: 'ada@example.com',
      password: 'a lamp in the gate',
    }),
    applicationName: applicationAhead(onward),
  })
  return sendPage(reply, view, { status: filled.status })
}

function makeBotLine(controlUrl: string, ownerId: UserId): string {
  const bot = {
    ownerId,
    name: 'My first bot',
    chatPlatformId: '100000000000000001',
    hostingEnabled: true,
    publicStatus: true,
  }
  return controlLine(controlUrl, '/v1/bots/my-first-bot', bot)
}

function makeFlowLine(controlUrl: string): string {
  const flow = { kind: 'event', name: 'Hello', webhook: { path: 'hello', requiresKey: false } }
  return controlLine(controlUrl, '/v1/bots/my-first-bot/flows/hello', flow)
}

/**
 * Returns a shell command that calls the control API. It runs the CLI by its file name: outside the Gatehouse folder,
 * `npx gatehouse` could run an unrelated package. The control URL is included only if it is a loopback address, because
 * others would reveal details of the operator's network.
 */
function controlLine(controlUrl: string, path: string, body: object): string {
  const isLoopback = /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(new URL(controlUrl).hostname)
  const address = `${isLoopback ? controlUrl : '$CONTROL_URL'}${path}`
  return `curl -X PUT "${address}" -H "Authorization: Bearer $(node bin/gatehouse.mjs operator-key)" -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}
