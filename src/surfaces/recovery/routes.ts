import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { AccountRefusal } from '../../domain/accounts/account-refusal.ts'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import type { LinkPurpose } from '../../domain/accounts/one-time-link-store.ts'
import { answerAccountRefusal, type FormErrors, noErrors, pinsDiffer } from '../../http/account-errors.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { formText, takeForms } from '../../http/form-fields.ts'
import type { FormTokens } from '../../http/form-token.ts'
import type { Html } from '../../http/html.ts'
import { linkPages } from '../../http/one-time-link.ts'
import { sendPage } from '../../http/page.ts'
import type { LinkForm } from './link-form.ts'
import { emailTakenPage, linkInvalidPage, linkUsedPage } from './views/link-pages.ts'
import { passwordByLinkPage } from './views/password-by-link-page.ts'
import { linkMailedPage, passwordLinkPage, withoutMailPage } from './views/password-link-page.ts'
import { pinByLinkPage } from './views/pin-by-link-page.ts'
import { verifyEmailPage } from './views/verify-email-page.ts'

export interface RecoveryRooms {
  accounts: Accounts
  formTokens: FormTokens
}

interface LinkPage {
  purpose: LinkPurpose
  view(form: LinkForm): Html
  /** Uses the link up. @throws AccountRefusal. */
  act(request: FastifyRequest, clearTextToken: string): Promise<unknown>
}

/**
 * The ways back into an account: `/forgot-password`, and the pages that one-time links open. Opening a link changes
 * nothing, since mail programs open links to look at them; the form on its page does.
 */
export function recoverySurface(rooms: RecoveryRooms): FastifyPluginAsync {
  const { recovery } = rooms.accounts
  const linkForms: readonly LinkPage[] = [
    {
      purpose: 'verify-email',
      view: verifyEmailPage,
      act: (request, clearTextToken) => recovery.verifyEmail(clearTextToken, browserInfo(request)),
    },
    {
      purpose: 'reset-password',
      view: passwordByLinkPage,
      act: (request, clearTextToken) =>
        recovery.resetPassword(clearTextToken, formText(request, 'password'), browserInfo(request)),
    },
    {
      purpose: 'set-pin',
      view: pinByLinkPage,
      act: (request, clearTextToken) => recovery.setPin(clearTextToken, formText(request, 'pin'), browserInfo(request)),
    },
  ]

  return async (app) => {
    await takeForms(app)

    app.get('/forgot-password', async (request, reply) => {
      const { sent } = request.query as Record<string, unknown>
      if (sent === '1') return sendPage(reply, linkMailedPage())
      return sendPasswordLink(rooms, request, reply, 200, noErrors)
    })

    app.post('/forgot-password', async (request, reply) => {
      rooms.formTokens.check(request)
      if (!recovery.byMail) return reply.redirect('/forgot-password', 303)
      try {
        await recovery.requestPasswordLink(formText(request, 'email'), browserInfo(request))
      } catch (error) {
        const { status, errors } = refused(error, request, reply)
        return sendPasswordLink(rooms, request, reply, status, errors)
      }
      return reply.redirect('/forgot-password?sent=1', 303)
    })

    for (const page of linkForms) {
      const address = linkPages[page.purpose]

      app.get(address, async (request, reply) => {
        const { token, done } = request.query as Record<string, unknown>
        if (done === '1') return sendPage(reply, linkUsedPage(page.purpose))
        return sendLinkForm(rooms, page, request, reply, typeof token === 'string' ? token : '', 200, noErrors)
      })

      app.post(address, async (request, reply) => {
        rooms.formTokens.check(request)
        const clearTextToken = formText(request, 'token')
        if (page.purpose === 'set-pin' && formText(request, 'pin') !== formText(request, 'pin_again')) {
          return sendLinkForm(rooms, page, request, reply, clearTextToken, 422, pinsDiffer)
        }
        try {
          await page.act(request, clearTextToken)
        } catch (error) {
          const { status, errors } = refused(error, request, reply)
          if ((error as AccountRefusal).reason === 'email-taken') {
            return sendPage(reply, emailTakenPage(), { status })
          }
          return sendLinkForm(rooms, page, request, reply, clearTextToken, status, errors)
        }
        return reply.redirect(`${address}?done=1`, 303)
      })
    }
  }
}

/** @throws the error itself, when it is not a refusal. */
function refused(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (!(error instanceof AccountRefusal)) throw error
  request.log.info({ reasons: error.reasons }, 'recovery refused')
  return answerAccountRefusal(reply, error)
}

function sendPasswordLink(
  { accounts, formTokens }: RecoveryRooms,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  errors: FormErrors,
): FastifyReply {
  if (!accounts.recovery.byMail) return sendPage(reply, withoutMailPage())
  const formToken = formTokens.issue(request, reply)
  return sendPage(reply, passwordLinkPage({ formToken, email: formText(request, 'email'), errors }), { status })
}

/** The form of a link, or the page that says that the link does not work. */
async function sendLinkForm(
  { accounts, formTokens }: RecoveryRooms,
  page: LinkPage,
  request: FastifyRequest,
  reply: FastifyReply,
  clearTextToken: string,
  status: number,
  errors: FormErrors,
): Promise<FastifyReply> {
  const link = await accounts.recovery.findLink(clearTextToken, page.purpose)
  if (link === undefined) {
    return sendPage(reply, linkInvalidPage(page.purpose, accounts.recovery.byMail), { status: 404 })
  }
  const { userName, email } = link
  const formToken = formTokens.issue(request, reply)
  return sendPage(reply, page.view({ formToken, clearTextToken, userName, email, errors }), { status })
}
