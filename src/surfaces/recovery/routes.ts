import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { LinkPurpose } from '../../domain/accounts/recovery/one-time-link-store.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { browserInfo } from '../../http/request-origin.ts'
import { accountErrors, accountFormPage, emailField, pinsDiffer } from '../../pages/account-form.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { linkButton } from '../../pages/components/elements.ts'
import { destinationInUrl, onwardOf, onwardText, withDestination } from '../../pages/destination.ts'
import { form } from '../../pages/form.ts'
import { formText } from '../../pages/form-posts.ts'
import type { Rejection } from '../../pages/form-routes.ts'
import { type Html, html, t } from '../../pages/html.ts'
import { page, sendPage } from '../../pages/page.ts'
import { identityPlace, linkPages } from '../../pages/places.ts'
import * as pages from './link-pages.ts'

/** Consumes a link and returns the flash message. Throws AccountRefusal. */
type Submit = (reply: FastifyReply, clearTextToken: string) => Promise<pages.UsedMessage>

type RecoveryServices = Pick<
  AccountServices,
  'accounts' | 'authorization' | 'cookies' | 'guard' | 'portalUrl' | 'refusals'
>

/** `/forgot-password`, and one-time links. Email scanners open links, too, so only the form on its page uses one up. */
export function recoverySurface(services: RecoveryServices): Mount {
  const { recovery } = services.accounts
  const links: Record<LinkPurpose, Submit> = {
    async 'verify-email'({ request }, clearTextToken) {
      await recovery.verifyEmail(clearTextToken, await services.guard.sessions.current(request), browserInfo(request))
      return 'used'
    },
    async 'reset-password'(reply, clearTextToken) {
      const { password, removeAccess } = pages.linkForms['reset-password'].read(reply.request)
      const form = { clearTextPassword: password, removesAccess: removeAccess }
      const reset = await recovery.resetPassword(clearTextToken, form, browserInfo(reply.request))
      // Another user's session would keep this browser from signing in with the new password.
      await services.guard.sessions.end(reply)
      await services.guard.sessions.markDevice(reply, reset.userId)
      if (reset.ended !== undefined) return reset.ended.clientSecrets > 0 ? 'secrets-ended' : 'first-proof'
      return reset.accessRemoved ? 'access-removed' : 'used'
    },
    async 'set-pin'({ request }, clearTextToken) {
      await recovery.setPin(clearTextToken, pages.linkForms['set-pin'].read(request).pin, browserInfo(request))
      return 'used'
    },
  }

  return (app) => {
    app.get('/forgot-password', async (request, reply) => {
      if (services.guard.flash.take(reply) === 'sent') {
        return sendPage(reply, linkMailedPage(await onwardUrls(services, request)))
      }
      await storeDestination(services, reply)
      return sendPasswordLink(services, reply, { errors: [], status: 200 })
    })

    app.post('/forgot-password', async (request, reply) => {
      // The next page's URL needs the destination. Without it, reloading that page would delete the stored destination.
      const { again } = await onwardUrls(services, request)
      if (!recovery.byMail) return reply.redirect(again, 303)
      try {
        const mark = services.guard.sessions.deviceMark(request)
        await recovery.requestPasswordLink(formText(request, 'email'), browserInfo(request), mark)
      } catch (error) {
        return sendPasswordLink(services, reply, accountErrors(error, reply, services.refusals))
      }
      return services.guard.flash.redirect(reply, again, 'sent')
    })

    for (const [purpose, submit] of Object.entries(links) as [LinkPurpose, Submit][]) {
      const address = linkPages[purpose]

      app.get(address, async (request, reply) => {
        const { token } = request.query as Record<string, unknown>
        if (token === undefined) {
          const message = services.guard.flash.take(reply)
          const { signInAddress } = await onwardUrls(services, request)
          // Without a flash message, for example after a reload, redirect to the target of the page's button.
          if (message === undefined) {
            return reply.redirect(purpose === 'reset-password' ? signInAddress : '/account')
          }
          const urls = { signInAddress, portalUrl: services.portalUrl }
          return sendPage(reply, pages.linkUsedPage(purpose, urls, message as pages.UsedMessage))
        }
        return sendLinkForm(services, purpose, reply, typeof token === 'string' ? token : '')
      })

      app.post(address, async (request, reply) => {
        const clearTextToken = formText(request, 'token')
        const differing = purpose === 'set-pin' ? pinsDiffer(pages.linkForms['set-pin'].read(request)) : undefined
        if (differing !== undefined) {
          return sendLinkForm(services, purpose, reply, clearTextToken, { errors: differing, status: 422 })
        }
        let message: pages.UsedMessage
        try {
          message = await submit(reply, clearTextToken)
        } catch (error) {
          const answer = accountErrors(error, reply, services.refusals)
          if ((error as AccountRefusal).reason === 'email-taken') {
            return sendPage(reply, pages.emailTakenPage, { status: answer.status })
          }
          return sendLinkForm(services, purpose, reply, clearTextToken, answer)
        }
        return services.guard.flash.redirect(reply, address, message)
      })
    }
  }
}

const cookie = 'onward'

/** Stores the user's destination in a cookie, because the link in the email doesn't contain it. */
async function storeDestination({ authorization, cookies }: RecoveryServices, reply: FastifyReply) {
  const { request } = reply
  const text = onwardText(await destinationInUrl(request, authorization))
  request.cookies[cookies.name(cookie)] = text
  if (text === undefined) cookies.clear(reply, cookie)
  else cookies.set(reply, cookie, text, limits.passwordLinkLifetimeMs / 1_000)
}

/** Returns the URLs for signing in and for requesting another link. Both preserve the stored destination. */
async function onwardUrls({ authorization, cookies }: RecoveryServices, request: FastifyRequest) {
  const onward = await onwardOf(request, request.cookies[cookies.name(cookie)] ?? null, authorization)
  return { signInAddress: withDestination('/sign-in', onward), again: withDestination('/forgot-password', onward) }
}

const passwordLinkForm = form({ email: emailField({ autocomplete: 'username', autofocus: true }) })

async function sendPasswordLink(services: RecoveryServices, reply: FastifyReply, rejection: Rejection) {
  const { signInAddress, again: action } = await onwardUrls(services, reply.request)
  if (!services.accounts.recovery.byMail) return sendPage(reply, withoutMailPage(signInAddress))
  const filled = { values: passwordLinkForm.read(reply.request), ...rejection }
  const content = accountFormPage(passwordLinkForm, filled, {
    title: t`Set a new password`,
    failed: t`No link sent`,
    place: identityPlace,
    formToken: services.guard.formTokens.issue(reply),
    about: html`<p>${t`Enter your account’s email address. You’ll get a link to set a new password.`}</p>`,
    action,
    does: t`Send link`,
    after: html`<p>${t.html`Remember your password? <a href="${signInAddress}">Sign in</a>`}</p>`,
  })
  return sendPage(reply, content, { status: filled.status })
}

/** Renders the same page for every email address, so that it doesn't reveal which addresses have an account. */
function linkMailedPage({ signInAddress, again }: { signInAddress: string; again: string }): Html {
  return page({
    title: t`Check your email`,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${t`Check your email`}</h1>
<p>${t`If this address has an account, a link is on its way. It works once, for 1 hour.`}</p>
<p>${t`No email after a few minutes? Check your spam folder and the address you entered.`}</p>
<div class="buttons">${linkButton({ ...pages.signIn(signInAddress), tone: 'plain' })}${linkButton({ label: t`Enter another address`, href: again, tone: 'quiet' })}</div>`,
  })
}

function withoutMailPage(signInAddress: string): Html {
  return page({
    title: t`Set a new password`,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${t`Set a new password`}</h1>
<p>${t`This service sends no email. Ask the operator for a link to set a new password.`}</p>
<div class="buttons">${linkButton({ ...pages.signIn(signInAddress), tone: 'plain' })}</div>`,
  })
}

async function sendLinkForm(
  services: RecoveryServices,
  purpose: LinkPurpose,
  reply: FastifyReply,
  clearTextToken: string,
  { status, errors }: Rejection = { errors: [], status: 200 },
): Promise<FastifyReply> {
  const { request } = reply
  const { recovery } = services.accounts
  const urls = await onwardUrls(services, request)
  const link = await recovery.findLink(clearTextToken, purpose)
  if (link === undefined) {
    const person = await services.guard.person(reply)
    const invalid = pages.linkInvalidPage(purpose, recovery.byMail, urls, person)
    return sendPage(reply, invalid, { status: 404 })
  }
  if (link.emailState === 'pending') {
    const session = await services.guard.sessions.current(request)
    if (session?.userId !== link.userId) {
      const here = session === undefined ? `${linkPages[purpose]}?token=${clearTextToken}` : undefined
      return sendPage(reply, pages.signInFirstPage(here), { status: 403 })
    }
  }
  const formToken = services.guard.formTokens.issue(reply)
  return sendPage(reply, pages.linkFormPage(purpose, { ...link, formToken, clearTextToken, errors }), { status })
}
