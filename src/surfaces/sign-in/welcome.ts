import type { FastifyReply } from 'fastify'
import type { Applications } from '../../domain/applications/applications.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { UserId } from '../../domain/ids-and-secrets.ts'
import type { Mount } from '../../http/new-app.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { card, linkButton, state } from '../../pages/components/elements.ts'
import { copyField } from '../../pages/components/secrets.ts'
import { type Destination, destinationInUrl, withDestination } from '../../pages/destination.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'
import { page, sendPage } from '../../pages/page.ts'
import { accountPlace, identityPlace } from '../../pages/places.ts'
import * as signIn from './routes.ts'

interface WelcomeServices extends AccountServices {
  applications: Pick<Applications, 'owned'>
  bots: Pick<Bots, 'ownStatus'>
  controlUrl: string
}

/**
 * `/` and `/welcome`: the first account, which anyone can create, and then a user's first steps. They contain no
 * secrets: their shell commands read the operator key on the machine itself.
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
        return sendWelcome(services, reply, onward, signIn.unfilled(signIn.signUpFields, request))
      }
      // Only the first user is likely to be the operator.
      return sendFirstSteps(services, reply, population === 'one')
    })

    app.post('/welcome', async (_request, reply) =>
      signIn.signUp(services, reply, async (onward, filled) => {
        const sendForm = (await services.accounts.users.hasAny()) ? signIn.sendSignUp : sendWelcome
        return sendForm(services, reply, onward, filled)
      }),
    )
  }
}

function sendWelcome(
  { accounts, guard, controlUrl }: WelcomeServices,
  reply: FastifyReply,
  onward: Destination,
  filled: signIn.FilledSignUp,
): FastifyReply {
  const open = accounts.signUpOpen
  const makeAccount = { name: 'Ada', email: 'ada@example.com', password: 'a lamp in the gate' }
  const content = page({
    title: open && filled.errors.length > 0 ? t`Account not created` : t`Welcome to Gatehouse`,
    place: identityPlace,
    ...(open && { formToken: guard.formTokens.issue(reply) }),
    width: 'narrow',
    body: html`<h1>${t`Welcome to Gatehouse`}</h1>
${
  open
    ? html`<p>${t`This service is new and has no accounts yet.`} ${t`Create the first account, register an application and add a bot. It takes about two minutes.`}</p>
${signIn.onwardNote(onward)}
${signIn.signUpForm(withDestination('/welcome', onward), filled)}
<p class="soft small">${t`The first account has no special rights. Administration requires the operator key.`}</p>`
    : html`<p>${t`This service is new and has no accounts yet.`}</p><p>${t`Sign-up is closed. Create accounts through the control API. Run this in the folder where Gatehouse was started:`}</p>${copyField({ label: t`Create an account`, text: controlLine(controlUrl, '/v1/users/ada', makeAccount) })}`
}`,
  })
  return sendPage(reply, content, { status: filled.status })
}

/** Sends the first steps, with a tick at each that is done, until all are. */
async function sendFirstSteps(services: WelcomeServices, reply: FastifyReply, isLikelyOperator: boolean) {
  const session = await services.guard.sessions.current(reply.request)
  if (session === undefined) return reply.redirect('/account', 302)
  const formToken = services.guard.formTokens.issue(reply, session.userId)
  const [[application], [bot]] = await Promise.all([
    services.applications.owned.list(session.userId),
    services.bots.ownStatus.list(session.userId),
  ])
  if (application !== undefined && bot !== undefined && session.hasPin) return reply.redirect('/account', 302)
  const content = page({
    title: t`First steps`,
    place: accountPlace,
    person: { name: session.userName, signOutAction: '/sign-out', formToken },
    body: html`<div class="stack tight"><h1>${t`Welcome, ${session.userName}`}</h1><p>${t`Your account is ready. This page stays until all three steps are done.`}</p></div>
${step({
  id: 'application',
  title: t`1. Your first application`,
  done: application && { name: application.name, href: `${services.portalUrl}/apps/${application.id}` },
  body: html`<p>${t`An application lets users sign in with their account here. The form is filled in for development: users return to a page that shows the code, so you can follow the quick start with curl alone.`}</p>
<div class="buttons">${linkButton({ label: t`Register an application`, href: `${services.portalUrl}/apps/new?environment=development`, tone: 'primary' })}${linkButton({ label: t`Quick start`, href: `${services.portalUrl}/guides/quick-start`, tone: 'quiet' })}</div>`,
})}
${step({
  id: 'bot',
  title: t`2. Your first bot`,
  done: bot && { name: bot.bot.name, href: `/bots/${bot.bot.id}` },
  body: isLikelyOperator
    ? html`<p>${t`Create bots through the control API, with the operator key. Run this in the folder where Gatehouse was started:`}</p>
${copyField({ label: t`Create a bot`, text: makeBotLine(services.controlUrl, session.userId), testId: 'make-bot' })}
${copyField({ label: t`Add a webhook`, text: makeFlowLine(services.controlUrl), testId: 'make-flow' })}
<p>${t`Then open your bot. Under Flows you find the webhook URL and can send a test. Under Runtimes you create the key for the program that runs the bot.`}</p>
<div class="buttons">${linkButton({ label: t`View your bots`, href: '/bots', tone: 'plain' })}</div>`
    : html`<p>${t`Sign in to the platform with this account and create a bot, or ask the operator. Your account page shows your user ID.`}</p>`,
})}
${step({
  id: 'pin',
  title: t`3. Your PIN`,
  done: session.hasPin && { name: t`Change your PIN`, href: '/account/pin' },
  body: html`<p>${t`You enter it before an application can read your personal data. Set it now, or when you first need it.`}</p>
<div class="buttons">${linkButton({ label: t`Set a PIN`, href: '/account/pin', tone: 'plain' })}${linkButton({ label: t`Go to your account`, href: '/account', tone: 'quiet' })}</div>`,
})}`,
  })
  return sendPage(reply, content)
}

/** @param done the link to what the step has created. */
function step({
  done,
  ...todo
}: {
  id: string
  title: Text
  done: { name: Text; href: string } | false | undefined
  body: Html
}): Html {
  if (!done) return card(todo)
  const body = html`<p>${state({ tone: 'good', word: t`Done` })} <a href="${done.href}">${done.name}</a></p>`
  return card({ ...todo, body })
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
