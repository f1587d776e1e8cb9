import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Applications } from '../../domain/applications/applications.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { UserId } from '../../domain/ids.ts'
import type { Mount } from '../../http/new-app.ts'
import { linkButton } from '../../pages/components/button.ts'
import { card } from '../../pages/components/card.ts'
import { state } from '../../pages/components/notice.ts'
import { copyField } from '../../pages/components/secrets.ts'
import { applicationAhead, type Destination, destinationInUrl, withDestination } from '../../pages/destination.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'
import { type Person, page, sendPage } from '../../pages/page.ts'
import { accountPlace, identityPlace } from '../../pages/places.ts'
import { type SignInServices, sendSignUp, signUp, unfilled } from './routes.ts'
import { type Rejected, type SignUpForm, signInWords, signUpFields, signUpForm } from './views/sign-in-pages.ts'

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

interface WelcomeView {
  /** The form, with its input and errors. `null` if sign-up is closed. */
  form: SignUpForm | null
  /** Shell command for creating an account if sign-up is closed. */
  makeAccountLine: string
  /** Name of the application that requested the sign-in, if any. */
  applicationName: Text | undefined
}

/** Renders the start page. Shown as long as there are no accounts. */
export function welcomePage({ form, makeAccountLine, applicationName }: WelcomeView): Html {
  return page({
    title: form !== null && form.filled.errors.length > 0 ? t`Account not created` : t`Welcome to Gatehouse`,
    place: identityPlace,
    ...(form && { formToken: form.formToken }),
    width: 'narrow',
    body: html`<h1>${t`Welcome to Gatehouse`}</h1>
${
  form === null
    ? html`<p>${t`This service is new and has no accounts yet.`}</p><p>${t`Sign-up is closed. Create accounts through the control API. Run this in the folder where Gatehouse was started:`}</p>${copyField({ label: t`Create an account`, text: makeAccountLine })}`
    : html`<p>${t`This service is new and has no accounts yet.`} ${t`Create the first account, register an application and add a bot. It takes about two minutes.`}</p>
${applicationName && html`<p>${signInWords.goOn(applicationName)}</p>`}
${signUpForm(form)}
<p class="soft small">${t`The first account has no special rights. Administration requires the operator key.`}</p>`
}`,
  })
}

interface FirstStepsView {
  person: Person
  portalUrl: string
  /** What the user already has. */
  application: Named | undefined
  bot: Named | undefined
  hasPin: boolean
  /** Shell commands that create a bot, and a flow for it. `false` for users who are unlikely to have the operator key. */
  commands: { makeBot: string; makeFlow: string } | false
}

interface Named {
  id: string
  name: string
}

/** Renders the first steps, with a tick at each that is done. */
export function firstStepsPage(view: FirstStepsView): Html {
  const { person, portalUrl, application, bot, hasPin, commands } = view
  return page({
    title: t`First steps`,
    place: accountPlace,
    person,
    body: html`<div class="stack tight"><h1>${t`Welcome, ${person.name}`}</h1><p>${t`Your account is ready. This page stays until all three steps are done.`}</p></div>
${step({
  id: 'application',
  title: t`1. Your first application`,
  done: application && { name: application.name, href: `${portalUrl}/apps/${application.id}` },
  body: html`<p>${t`An application lets users sign in with their account here. The form is filled in for development: users return to a page that shows the code, so you can follow the quick start with curl alone.`}</p>
<div class="buttons">${linkButton({ label: t`Register an application`, href: `${portalUrl}/apps/new?environment=development`, tone: 'primary' })}${linkButton({ label: t`Quick start`, href: `${portalUrl}/guides/quick-start`, tone: 'quiet' })}</div>`,
})}
${step({
  id: 'bot',
  title: t`2. Your first bot`,
  done: bot && { name: bot.name, href: `/bots/${bot.id}` },
  body: commands
    ? html`<p>${t`Create bots through the control API, with the operator key. Run this in the folder where Gatehouse was started:`}</p>
${copyField({ label: t`Create a bot`, text: commands.makeBot, testId: 'make-bot' })}
${copyField({ label: t`Add a webhook`, text: commands.makeFlow, testId: 'make-flow' })}
<p>${t`Then open your bot. Under Flows you find the webhook URL and can send a test. Under Runtimes you create the key for the program that runs the bot.`}</p>
<div class="buttons">${linkButton({ label: t`View your bots`, href: '/bots', tone: 'plain' })}</div>`
    : html`<p>${t`Sign in to the platform with this account and create a bot, or ask the operator. Your account page shows your user ID.`}</p>`,
})}
${step({
  id: 'pin',
  title: t`3. Your PIN`,
  done: hasPin && { name: t`Change your PIN`, href: '/account/pin' },
  body: html`<p>${t`You enter it before an application can read your personal data. Set it now, or when you first need it.`}</p>
<div class="buttons">${linkButton({ label: t`Set a PIN`, href: '/account/pin', tone: 'plain' })}${linkButton({ label: t`Go to your account`, href: '/account', tone: 'quiet' })}</div>`,
})}`,
  })
}

/** @param done the link to what the step has created. */
function step({
  id,
  title,
  done,
  body,
}: {
  id: string
  title: Text
  done: { name: Text; href: string } | false | undefined
  body: Html
}): Html {
  if (!done) return card({ id, title, body })
  return card({
    id,
    title,
    body: html`<p>${state({ tone: 'good', word: t`Done` })} <a href="${done.href}">${done.name}</a></p>`,
  })
}
