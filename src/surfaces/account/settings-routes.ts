import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { formText, takeForms } from '../../pages/form-fields.ts'
import { sendPage } from '../../pages/page.ts'
import {
  type AccountVisit,
  type AccountVisitServices,
  type FormAnswer,
  forOwner,
  onAccount,
  refusalOf,
  sayDone,
  untouched,
} from './account-visit.ts'
import { emailPage } from './views/email-page.ts'
import { namePage } from './views/name-page.ts'
import { passwordPage } from './views/password-page.ts'

/** `/account/name`, `/account/email` and `/account/password`: what people change of their own account. */
export function settingsSurface(
  services: AccountVisitServices & { accounts: Pick<Accounts, 'settings' | 'recovery'> },
): FastifyPluginAsync {
  const { settings, recovery } = services.accounts

  function sendName(visit: AccountVisit, name: string, { status, errors }: FormAnswer): FastifyReply {
    return sendPage(visit.reply, namePage({ person: visit.person, name, errors }), { status })
  }

  function sendEmail(visit: AccountVisit, email: string, { status, errors }: FormAnswer): FastifyReply {
    const { person, session } = visit
    const view = { person, email, byMail: recovery.byMail, asksPassword: session.hasPassword, errors }
    return sendPage(visit.reply, emailPage(view), { status })
  }

  function sendPassword(visit: AccountVisit, { status, errors }: FormAnswer): FastifyReply {
    const { person, session } = visit
    return sendPage(visit.reply, passwordPage({ person, hasPassword: session.hasPassword, errors }), { status })
  }

  return async (app) => {
    await takeForms(app)

    app.get(
      '/account/name',
      forOwner(services, async (visit) => sendName(visit, visit.session.userName, untouched)),
    )

    app.post(
      '/account/name',
      forOwner(
        services,
        async (visit) => {
          const name = formText(visit.request, 'name')
          const refused = await refusalOf(visit, () => settings.changeName(visit.session, name))
          return refused === undefined ? sayDone(services, visit.reply, 'name') : sendName(visit, name, refused)
        },
        { keeps: ['name'] },
      ),
    )

    app.get(
      '/account/email',
      forOwner(services, async (visit) => sendEmail(visit, '', untouched)),
    )

    app.post(
      '/account/email',
      forOwner(
        services,
        async (visit) => {
          const { session, request, reply } = visit
          const form = { email: formText(request, 'email'), clearTextPassword: formText(request, 'password') }
          const change = () => settings.changeEmail(session, form, browserInfo(request))
          const refused = await refusalOf(visit, change)
          if (refused !== undefined) return sendEmail(visit, form.email, refused)
          return sayDone(services, reply, recovery.byMail ? 'email-mailed' : 'email')
        },
        { keeps: ['email'] },
      ),
    )

    app.post(
      '/account/email/link',
      forOwner(
        services,
        async (visit) => {
          const { session, request, reply } = visit
          const refused = await refusalOf(visit, () => settings.mailLinkAgain(session, browserInfo(request)))
          if (refused !== undefined) return sendEmail(visit, '', refused)
          return sayDone(services, reply, 'email-mailed')
        },
        onAccount,
      ),
    )

    app.post(
      '/account/email/keep',
      forOwner(
        services,
        async ({ session, reply }) => {
          await settings.keepEmail(session)
          return sayDone(services, reply, 'email-kept')
        },
        onAccount,
      ),
    )

    app.get(
      '/account/password',
      forOwner(services, async (visit) => sendPassword(visit, untouched)),
    )

    app.post(
      '/account/password',
      forOwner(services, async (visit) => {
        const { session, request, reply } = visit
        const form = {
          clearTextCurrentPassword: formText(request, 'current_password'),
          clearTextPassword: formText(request, 'password'),
        }
        const refused = await refusalOf(visit, () => settings.changePassword(session, form))
        if (refused !== undefined) return sendPassword(visit, refused)
        await services.sessions.markDevice(request, reply, session.userId)
        return sayDone(services, reply, 'password')
      }),
    )
  }
}
