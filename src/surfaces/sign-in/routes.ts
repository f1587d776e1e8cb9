import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StartedSession } from '../../domain/accounts/accounts.ts'
import { portalClientId } from '../../domain/applications/portal-application.ts'
import type { Mount } from '../../http/new-app.ts'
import { browserInfo } from '../../http/request-origin.ts'
import {
  accountErrors,
  accountForm,
  emailField,
  nameField,
  newPasswordField,
  passwordField,
} from '../../pages/account-form.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { button, buttonRow, notice, postForm } from '../../pages/components/elements.ts'
import { type Destination, destinationInUrl, destinationUrl, withDestination } from '../../pages/destination.ts'
import { type Fields, type Filled, type Form, form, type ValuesOf } from '../../pages/form.ts'
import { type Html, html, type Text, t, type Words } from '../../pages/html.ts'
import { page, sendPage } from '../../pages/page.ts'
import { isReturnToForm } from '../../pages/page-guard.ts'
import { passkeyForm, passkeyModules } from '../../pages/passkey-form.ts'
import { identityPlace, invitationPath, portalPlace } from '../../pages/places.ts'
import { providerWords } from '../../pages/words/providers.ts'

const signInForm = form({ email: emailField({ autocomplete: 'username webauthn' }), password: passwordField() })

export const signUpFields = form({
  name: nameField(),
  email: emailField({ autocomplete: 'username' }),
  password: newPasswordField({ label: t`Password` }),
})

export type FilledSignUp = Filled<ReturnType<typeof signUpFields.read>>

/** Registers `/sign-in`, `/sign-up` and `/sign-out`. Their URLs preserve the user's destination. */
export function signInSurface(services: AccountServices): Mount {
  return (app) => {
    app.get('/sign-in', async (request, reply) => {
      const onward = await destinationInUrl(request, services.authorization)
      if ((await services.guard.sessions.current(request)) !== undefined)
        return reply.redirect(destinationUrl(onward), 302)
      return sendSignIn(services, reply, onward, unfilled(signInForm, request))
    })

    app.post('/sign-in', async (request, reply) => {
      const onward = await destinationInUrl(request, services.authorization)
      const values = signInForm.read(request)
      const form = { email: values.email, clearTextPassword: values.password }
      try {
        const known = {
          deviceMark: services.guard.sessions.deviceMark(request),
          session: await services.guard.sessions.current(request),
        }
        const started = await services.accounts.passwords.signIn(form, browserInfo(request), known)
        return await startSession(services, reply, onward, started)
      } catch (error) {
        return sendSignIn(services, reply, onward, {
          values,
          ...accountErrors(error, reply, services.refusals),
        })
      }
    })

    app.get('/sign-up', async (request, reply) => {
      const onward = await destinationInUrl(request, services.authorization)
      if ((await services.guard.sessions.current(request)) !== undefined)
        return reply.redirect(destinationUrl(onward), 302)
      return sendSignUp(services, reply, onward, unfilled(signUpFields, request))
    })

    app.post('/sign-up', async (_request, reply) =>
      signUp(services, reply, (onward, refused) => sendSignUp(services, reply, onward, refused)),
    )

    app.post('/sign-out', async (request, reply) => {
      const onward = await destinationInUrl(request, services.authorization)
      await services.guard.sessions.end(reply)
      return reply.redirect(withDestination('/sign-in', onward), 303)
    })
  }
}

/** Creates the account of a sign-up form, and signs the user in. `sendForm` sends the form again if it is refused. */
export async function signUp(
  services: AccountServices,
  reply: FastifyReply,
  sendForm: (onward: Destination, filled: FilledSignUp) => FastifyReply | Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { request } = reply
  const onward = await destinationInUrl(request, services.authorization)
  const values = signUpFields.read(request)
  const { password: clearTextPassword, ...form } = values
  try {
    const started = await services.accounts.passwords.signUp({ ...form, clearTextPassword }, browserInfo(request))
    const home = (await services.accounts.users.accountCount()) === 'one' ? '/welcome' : undefined
    return await startSession(services, reply, onward, started, home)
  } catch (error) {
    return sendForm(onward, { values, ...accountErrors(error, reply, services.refusals) })
  }
}

async function startSession(
  services: AccountServices,
  reply: FastifyReply,
  onward: Destination,
  started: StartedSession,
  home?: string,
): Promise<FastifyReply> {
  await services.guard.sessions.replace(reply, started)
  return reply.header('cache-control', 'no-store').redirect(destinationUrl(onward, home), 303)
}

export function unfilled<F extends Fields>(form: Form<F>, request: FastifyRequest): Filled<ValuesOf<F>> {
  return { values: form.read(request), errors: [], status: 200 }
}

/** Says which application the user is signing in to, or that an invitation comes next. */
export function onwardNote(onward: Destination): Text | undefined {
  if (onward.returnTo?.startsWith(`${invitationPath}?`)) return html`<p>${t`You’ll continue to your invitation.`}</p>`
  const application = onward.attempt?.application
  const name = application?.clientId === portalClientId ? portalPlace.name : application?.name
  return name && html`<p>${t.html`You’ll continue to <strong>${name}</strong>.`}</p>`
}

async function sendSignIn(
  services: AccountServices,
  reply: FastifyReply,
  onward: Destination,
  filled: Filled<ReturnType<typeof signInForm.read>>,
): Promise<FastifyReply> {
  const to = (path: string) => withDestination(path, onward)
  const failed = filled.errors.length > 0
  const isFirst = !(await services.accounts.users.hasAny())
  const content = page({
    title: failed ? t`Not signed in` : t`Sign in`,
    place: identityPlace,
    formToken: services.guard.formTokens.issue(reply),
    width: 'narrow',
    modules: passkeyModules,
    body: html`<h1>${t`Sign in`}</h1>
${isFirst && notice({ tone: 'neutral', body: html`<p>${t`This service is new and has no accounts yet.`} ${t.html`<a href="${to('/welcome')}">Create the first account</a>`}</p>` })}
${isReturnToForm(onward) && notice({ tone: 'warn', body: t`Your session had ended, so nothing was saved. Sign in to continue.` })}
${onwardNote(onward)}
<div class="card ways">${accountForm(signInForm, filled, { action: to('/sign-in'), does: t`Sign in`, shown: { email: { autofocus: !failed } } })}
${passkeyForm({
  ceremony: 'sign-in',
  challenge: '/sign-in/passkey/challenge',
  action: to('/sign-in/passkey'),
  body: buttonRow(button({ label: t`Sign in with a passkey`, tone: 'plain' })),
})}
${providerButtons(services, onward, (provider) => t`Sign in with ${provider}`)}</div>
<div class="stack tight"><p>${t.html`Forgot your password? <a href="${to('/forgot-password')}">Set a new one</a>`}</p>
${services.accounts.signUpOpen && html`<p>${t.html`No account yet? <a href="${to('/sign-up')}">Create one</a>`}</p>`}</div>`,
  })
  return sendPage(reply, content, { status: filled.status })
}

export function sendSignUp(
  services: AccountServices,
  reply: FastifyReply,
  onward: Destination,
  filled: FilledSignUp,
): FastifyReply {
  const haveAccount = t.html`Already have an account? <a href="${withDestination('/sign-in', onward)}">Sign in</a>`
  const frame = { place: identityPlace, width: 'narrow' } as const
  if (!services.accounts.signUpOpen) {
    const title = t`Sign-up is closed`
    const body = html`<h1>${title}</h1>
<p>${t`Ask the operator for an account.`}</p>
<p>${haveAccount}</p>`
    return sendPage(reply, page({ ...frame, title, body }), { status: 403 })
  }
  const content = page({
    ...frame,
    title: filled.errors.length > 0 ? t`Account not created` : t`Create an account`,
    formToken: services.guard.formTokens.issue(reply),
    body: html`<h1>${t`Create an account`}</h1>
${onwardNote(onward)}
<div class="card ways">${signUpForm(withDestination('/sign-up', onward), filled)}
${providerButtons(services, onward, (provider) => t`Sign up with ${provider}`)}</div>
<p>${haveAccount}</p>`,
  })
  return sendPage(reply, content, { status: filled.status })
}

export function signUpForm(action: string, filled: FilledSignUp): Html {
  const shown = { name: { autofocus: filled.errors.length === 0 } }
  return accountForm(signUpFields, filled, { action, does: t`Create account`, shown })
}

function providerButtons(
  { linkedAccounts }: AccountServices,
  onward: Destination,
  does: (name: Text) => Words,
): Html[] {
  return linkedAccounts.providers.map(({ key, name }) =>
    postForm(
      { action: withDestination(`/sign-in/with/${key}`, onward) },
      buttonRow(button({ label: does(providerWords(name).is), tone: 'plain' })),
    ),
  )
}
