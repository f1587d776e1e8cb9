import type { FastifyReply } from 'fastify'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { Mount } from '../../http/new-app.ts'
import { type FormResult, noErrors } from '../../pages/account-form.ts'
import { formText } from '../../pages/form-posts.ts'
import { sendPage } from '../../pages/page.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import type { BrowserSessions } from '../../pages/sessions.ts'
import { type AccountFormServices, applyChange, onPart, redirectToPart } from './account-forms.ts'
import { emailPage, namePage, passwordPage } from './views/settings-pages.ts'

/** Registers `/account/name`, `/account/email` and `/account/password`. */
export function settingsSurface(
  services: AccountFormServices & { accounts: Pick<Accounts, 'settings' | 'recovery'>; sessions: BrowserSessions },
): Mount {
  const { settings, recovery } = services.accounts

  function sendName(visit: SignedInRequest, name: string, { status, errors }: FormResult): FastifyReply {
    return sendPage(visit.reply, namePage({ person: visit.person, name, errors }), { status })
  }

  function sendEmail(visit: SignedInRequest, email: string, { status, errors }: FormResult): FastifyReply {
    const { person, session } = visit
    const view = { person, email, byMail: recovery.byMail, asksPassword: session.hasPassword, errors }
    return sendPage(visit.reply, emailPage(view), { status })
  }

  function sendPassword(visit: SignedInRequest, { status, errors }: FormResult): FastifyReply {
    const { person, session } = visit
    return sendPage(visit.reply, passwordPage({ person, hasPassword: session.hasPassword, errors }), { status })
  }

  return (app) => {
    app.get(
      '/account/name',
      services.guard.signedIn(async (visit) => sendName(visit, visit.session.userName, noErrors)),
    )

    app.post(
      '/account/name',
      services.guard.signedIn(async (visit) => {
        const name = formText(visit.request, 'name')
        const refused = await applyChange(visit, () => settings.changeName(visit.session, name))
        return refused === undefined
          ? redirectToPart(services, visit.reply, 'profile', 'name')
          : sendName(visit, name, refused)
      }),
    )

    app.get(
      '/account/email',
      services.guard.signedIn(async (visit) => sendEmail(visit, '', noErrors)),
    )

    app.post(
      '/account/email',
      services.guard.signedIn(async (visit) => {
        const { session, request, reply } = visit
        const form = { email: formText(request, 'email'), clearTextPassword: formText(request, 'password') }
        const change = () => settings.changeEmail(session, form, browserInfo(request))
        const refused = await applyChange(visit, change)
        if (refused !== undefined) return sendEmail(visit, form.email, refused)
        return redirectToPart(services, reply, 'profile', recovery.byMail ? 'email-mailed' : 'email')
      }),
    )

    app.post(
      '/account/email/link',
      services.guard.signedIn(async (visit) => {
        const { session, request, reply } = visit
        const refused = await applyChange(visit, () => settings.mailLinkAgain(session, browserInfo(request)))
        if (refused !== undefined) return sendEmail(visit, '', refused)
        return redirectToPart(services, reply, 'profile', 'email-mailed')
      }, onPart('profile')),
    )

    app.post(
      '/account/email/keep',
      services.guard.signedIn(async ({ session, reply }) => {
        await settings.keepEmail(session)
        return redirectToPart(services, reply, 'profile', 'email-kept')
      }, onPart('profile')),
    )

    app.get(
      '/account/password',
      services.guard.signedIn(async (visit) => sendPassword(visit, noErrors)),
    )

    app.post(
      '/account/password',
      services.guard.signedIn(async (visit) => {
        const { session, request, reply } = visit
        const form = {
          clearTextCurrentPassword: formText(request, 'current_password'),
          clearTextPassword: formText(request, 'password'),
        }
        const refused = await applyChange(visit, () => settings.changePassword(session, form))
        if (refused !== undefined) return sendPassword(visit, refused)
        await services.sessions.markDevice(request, reply, session.userId)
        return redirectToPart(services, reply, 'security', 'password')
      }),
    )
  }
}
