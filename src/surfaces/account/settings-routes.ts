import type { FastifyReply } from 'fastify'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { Mount } from '../../http/new-app.ts'
import { formText } from '../../pages/form-fields.ts'
import { sendPage } from '../../pages/page.ts'
import {
  type AccountVisit,
  type AccountVisitRooms,
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
export function settingsSurface(rooms: AccountVisitRooms & { accounts: Accounts }): Mount {
  const { settings, recovery } = rooms.accounts

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

  return (app) => {
    app.get(
      '/account/name',
      forOwner(rooms, async (visit) => sendName(visit, visit.session.userName, untouched)),
    )

    app.post(
      '/account/name',
      forOwner(
        rooms,
        async (visit) => {
          const name = formText(visit.request, 'name')
          const refused = await refusalOf(visit, () => settings.changeName(visit.session, name))
          return refused === undefined ? sayDone(rooms, visit.reply, 'name') : sendName(visit, name, refused)
        },
        { keeps: ['name'] },
      ),
    )

    app.get(
      '/account/email',
      forOwner(rooms, async (visit) => sendEmail(visit, '', untouched)),
    )

    app.post(
      '/account/email',
      forOwner(
        rooms,
        async (visit) => {
          const { session, request, reply } = visit
          const form = { email: formText(request, 'email'), clearTextPassword: formText(request, 'password') }
          const change = () => settings.changeEmail(session, form, browserInfo(request))
          const refused = await refusalOf(visit, change)
          if (refused !== undefined) return sendEmail(visit, form.email, refused)
          return sayDone(rooms, reply, recovery.byMail ? 'email-mailed' : 'email')
        },
        { keeps: ['email'] },
      ),
    )

    app.post(
      '/account/email/link',
      forOwner(
        rooms,
        async (visit) => {
          const { session, request, reply } = visit
          const refused = await refusalOf(visit, () => settings.mailLinkAgain(session, browserInfo(request)))
          if (refused !== undefined) return sendEmail(visit, '', refused)
          return sayDone(rooms, reply, 'email-mailed')
        },
        onAccount,
      ),
    )

    app.post(
      '/account/email/keep',
      forOwner(
        rooms,
        async ({ session, reply }) => {
          await settings.keepEmail(session)
          return sayDone(rooms, reply, 'email-kept')
        },
        onAccount,
      ),
    )

    app.get(
      '/account/password',
      forOwner(rooms, async (visit) => sendPassword(visit, untouched)),
    )

    app.post(
      '/account/password',
      forOwner(rooms, async (visit) => {
        const { session, request, reply } = visit
        const form = {
          clearTextCurrentPassword: formText(request, 'current_password'),
          clearTextPassword: formText(request, 'password'),
        }
        const refused = await refusalOf(visit, () => settings.changePassword(session, form))
        if (refused !== undefined) return sendPassword(visit, refused)
        await rooms.sessions.markDevice(request, reply, session.userId)
        return sayDone(rooms, reply, 'password')
      }),
    )
  }
}
