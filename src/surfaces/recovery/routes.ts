import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { LinkPurpose } from '../../domain/accounts/recovery/one-time-link-store.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { browserInfo, type CookieJar } from '../../http/request-origin.ts'
import { pinsDiffer } from '../../pages/account-form.ts'
import { accountErrors } from '../../pages/account-refusals.ts'
import {
  type AttemptFinder,
  type Destination,
  destinationInUrl,
  onwardOf,
  onwardText,
  withDestination,
} from '../../pages/destination.ts'
import type { Flash } from '../../pages/flash.ts'
import { type FormTokens, formText } from '../../pages/form-posts.ts'
import type { Rejection } from '../../pages/form-routes.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { linkPages } from '../../pages/places.ts'
import type { BrowserSessions } from '../../pages/sessions.ts'
import {
  emailTakenPage,
  linkFormPage,
  linkForms,
  linkInvalidPage,
  linkMailedPage,
  linkUsedPage,
  passwordLinkForm,
  passwordLinkPage,
  signInFirstPage,
  type UsedMessage,
  withoutMailPage,
} from './link-pages.ts'

interface RecoveryServices {
  accounts: Pick<Accounts, 'recovery'>
  authorization: AttemptFinder
  cookies: CookieJar
  sessions: BrowserSessions
  guard: PageGuard
  formTokens: FormTokens
  flash: Flash
  portalUrl: string
}

interface LinkPage {
  purpose: LinkPurpose
  /** Consumes the link and returns the flash message. @throws AccountRefusal */
  submit(request: FastifyRequest, reply: FastifyReply, clearTextToken: string): Promise<UsedMessage>
}

/**
 * Account recovery: `/forgot-password`, and the pages for one-time links.
 *
 * Opening a link changes nothing, because email scanners open links too. Only submitting the form on its page does.
 */
export function recoverySurface(services: RecoveryServices): Mount {
  const { recovery } = services.accounts
  const pages: readonly LinkPage[] = [
    {
      purpose: 'verify-email',
      async submit(request, _reply, clearTextToken) {
        await recovery.verifyEmail(clearTextToken, await services.sessions.current(request), browserInfo(request))
        return 'used'
      },
    },
    {
      purpose: 'reset-password',
      async submit(request, reply, clearTextToken) {
        const { password, removeAccess } = linkForms['reset-password'].read(request)
        const form = { clearTextPassword: password, removesAccess: removeAccess }
        const { userId, accessRemoved, ended } = await recovery.resetPassword(
          clearTextToken,
          form,
          browserInfo(request),
        )
        await services.sessions.markDevice(request, reply, userId)
        if (ended !== undefined) return ended.clientSecrets > 0 ? 'secrets-ended' : 'first-proof'
        return accessRemoved ? 'access-removed' : 'used'
      },
    },
    {
      purpose: 'set-pin',
      async submit(request, _reply, clearTextToken) {
        await recovery.setPin(clearTextToken, linkForms['set-pin'].read(request).pin, browserInfo(request))
        return 'used'
      },
    },
  ]

  return (app) => {
    app.get('/forgot-password', async (request, reply) => {
      if (services.flash.take(request, reply) === 'sent') {
        return sendPage(reply, linkMailedPage(await onwardUrls(services, request)))
      }
      await storeDestination(services, request, reply)
      return sendPasswordLink(services, request, reply, { errors: [], status: 200 })
    })

    app.post('/forgot-password', async (request, reply) => {
      // The next page's URL needs the destination. Without it, reloading that page would delete the stored destination.
      const { again } = await onwardUrls(services, request)
      if (!recovery.byMail) return reply.redirect(again, 303)
      try {
        const mark = services.sessions.deviceMark(request)
        await recovery.requestPasswordLink(formText(request, 'email'), browserInfo(request), mark)
      } catch (error) {
        return sendPasswordLink(services, request, reply, refused(error, request, reply))
      }
      return services.flash.redirect(reply, again, 'sent')
    })

    for (const page of pages) {
      const address = linkPages[page.purpose]

      app.get(address, async (request, reply) => {
        const { token } = request.query as Record<string, unknown>
        if (token === undefined) {
          const message = services.flash.take(request, reply)
          const { signInAddress } = await onwardUrls(services, request)
          // Without a flash message, for example after a reload, redirect to the target of the page's button.
          if (message === undefined) {
            return reply.redirect(page.purpose === 'reset-password' ? signInAddress : '/account')
          }
          const applicationsAddress = `${services.portalUrl}/apps`
          return sendPage(
            reply,
            linkUsedPage(page.purpose, { signInAddress, applicationsAddress }, message as UsedMessage),
          )
        }
        return sendLinkForm(services, page, request, reply, typeof token === 'string' ? token : '')
      })

      app.post(address, async (request, reply) => {
        const clearTextToken = formText(request, 'token')
        const differing = page.purpose === 'set-pin' ? pinsDiffer(linkForms['set-pin'].read(request)) : undefined
        if (differing !== undefined) {
          return sendLinkForm(services, page, request, reply, clearTextToken, { errors: differing, status: 422 })
        }
        let message: UsedMessage
        try {
          message = await page.submit(request, reply, clearTextToken)
        } catch (error) {
          const answer = refused(error, request, reply)
          if ((error as AccountRefusal).reason === 'email-taken') {
            return sendPage(reply, emailTakenPage(), { status: answer.status })
          }
          return sendLinkForm(services, page, request, reply, clearTextToken, answer)
        }
        return services.flash.redirect(reply, address, message)
      })
    }
  }
}

const cookie = 'onward'

/** Stores the user's destination in a cookie, because the link in the email doesn't contain it. */
async function storeDestination(
  { authorization, cookies }: RecoveryServices,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const text = onwardText(await destinationInUrl(request, authorization))
  request.cookies[cookies.name(cookie)] = text
  if (text === undefined) cookies.clear(reply, cookie)
  else cookies.set(reply, cookie, text, limits.passwordLinkLifetimeMs / 1_000)
}

function storedDestination(
  { authorization, cookies }: RecoveryServices,
  request: FastifyRequest,
): Promise<Destination> {
  return onwardOf(request, request.cookies[cookies.name(cookie)] ?? null, authorization)
}

/** Returns the URLs for signing in and for requesting another link. Both preserve the user's destination. */
async function onwardUrls(services: RecoveryServices, request: FastifyRequest) {
  const onward = await storedDestination(services, request)
  return { signInAddress: withDestination('/sign-in', onward), again: withDestination('/forgot-password', onward) }
}

const refused = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
  accountErrors(error, { request, reply }, 'recovery refused')

async function sendPasswordLink(
  services: RecoveryServices,
  request: FastifyRequest,
  reply: FastifyReply,
  rejection: Rejection,
): Promise<FastifyReply> {
  const { signInAddress, again: action } = await onwardUrls(services, request)
  if (!services.accounts.recovery.byMail) return sendPage(reply, withoutMailPage(signInAddress))
  const formToken = services.formTokens.issue(request, reply)
  const filled = { values: passwordLinkForm.read(request), ...rejection }
  return sendPage(reply, passwordLinkPage({ action, formToken, filled, signInAddress }), { status: filled.status })
}

/** Sends a one-time link's form, or an error page if the link is invalid. */
async function sendLinkForm(
  services: RecoveryServices,
  page: LinkPage,
  request: FastifyRequest,
  reply: FastifyReply,
  clearTextToken: string,
  { status, errors }: Rejection = { errors: [], status: 200 },
): Promise<FastifyReply> {
  const { recovery } = services.accounts
  const urls = await onwardUrls(services, request)
  const link = await recovery.findLink(clearTextToken, page.purpose)
  if (link === undefined) {
    const person = await services.guard.person(request, reply)
    const invalid = linkInvalidPage(page.purpose, recovery.byMail, urls, person)
    return sendPage(reply, invalid, { status: 404 })
  }
  const { userName, email, emailState } = link
  if (emailState === 'pending') {
    const session = await services.sessions.current(request)
    if (session?.userId !== link.userId) {
      const here = session === undefined ? `${linkPages[page.purpose]}?token=${clearTextToken}` : undefined
      return sendPage(reply, signInFirstPage(here), { status: 403 })
    }
  }
  const formToken = services.formTokens.issue(request, reply)
  const view = { formToken, clearTextToken, userName, email, emailState, errors }
  return sendPage(reply, linkFormPage(page.purpose, view), { status })
}
