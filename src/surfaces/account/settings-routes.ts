import type { Mount } from '../../http/new-app.ts'
import {
  accountErrors,
  emailField,
  nameField,
  newPasswordField,
  passwordField,
  sendAccountForm,
} from '../../pages/account-form.ts'
import type { AccountServices } from '../../pages/account-services.ts'
import { type Filled, form } from '../../pages/form.ts'
import { type Admit, acceptPost, formPage, formPost } from '../../pages/form-routes.ts'
import { html, t } from '../../pages/html.ts'
import type { SignedInRequest } from '../../pages/page-guard.ts'
import { accountParts, accountPlace } from '../../pages/places.ts'
import { accountDone } from './account-frame.ts'

const nameForm = form({ name: nameField({ autofocus: true }) })

const emailForm = form({
  email: emailField({ label: t`New email address`, autocomplete: 'email' }),
  password: passwordField({ hint: t`Enter your password to confirm that it’s you.` }),
})
type EmailValues = ReturnType<typeof emailForm.read>
const noEmail: EmailValues = { email: '', password: '' }

const passwordForm = form({
  currentPassword: passwordField({ label: t`Current password` }),
  password: newPasswordField(),
})

export function settingsSurface({ guard, accounts, refusals }: AccountServices): Mount {
  const { settings, recovery } = accounts
  const profile = accountParts.profile.href
  const onProfile: Admit<SignedInRequest> = (work) => guard.signedIn(work, { page: () => profile })
  const errors = (error: unknown, visit: SignedInRequest) => accountErrors(error, visit.reply, refusals)

  function sendEmail(visit: SignedInRequest, filled: Filled<EmailValues>) {
    const { byMail } = recovery
    return sendAccountForm(visit, emailForm, filled, {
      title: t`Change your email address`,
      failed: t`Email address not changed`,
      place: accountPlace,
      trail: [{ name: t`Change your email address` }],
      about: html`<p>${byMail ? t`We’ll send a link to the new address. Until you open it, sign in with the current address.` : t`After you save, sign in with the new address.`}</p>`,
      action: '/account/email',
      shown: { email: { autofocus: filled.errors.length === 0 } },
      without: [!visit.session.hasPassword && 'password'],
      does: byMail ? t`Send link` : t`Save email address`,
    })
  }

  return (app) => {
    formPage(app, '/account/name', guard.signedIn, {
      form: nameForm,
      values: ({ session }) => ({ name: session.userName }),
      errors,
      show(visit, filled) {
        return sendAccountForm(visit, nameForm, filled, {
          title: t`Change your name`,
          failed: t`Name not changed`,
          place: accountPlace,
          trail: [{ name: t`Change your name` }],
          action: '/account/name',
          does: t`Save name`,
        })
      },
      async post({ session, redirect }, { name }) {
        await settings.changeName(session, name)
        return redirect(profile, accountDone.name)
      },
    })

    formPage(app, '/account/email', guard.signedIn, {
      form: emailForm,
      values: () => noEmail,
      errors,
      show: sendEmail,
      async post({ session, by, redirect }, { email, password: clearTextPassword }) {
        const outcome = await settings.changeEmail(session, { email, clearTextPassword }, by.origin)
        return redirect(profile, outcome === 'mailed' ? accountDone.emailMailed : accountDone.email)
      },
    })

    formPost(app, '/account/email/link', onProfile, {
      errors,
      show: (visit, rejected) => sendEmail(visit, { ...rejected, values: noEmail }),
      async post({ session, by, redirect }) {
        await settings.mailLinkAgain(session, by.origin)
        return redirect(profile, accountDone.emailMailed)
      },
    })

    acceptPost(app, '/account/email/keep', onProfile, async ({ session, redirect }) => {
      await settings.keepEmail(session)
      return redirect(profile, accountDone.emailKept)
    })

    formPage(app, '/account/password', guard.signedIn, {
      form: passwordForm,
      values: () => ({ currentPassword: '', password: '' }),
      errors,
      show(visit, filled) {
        const { email, hasPassword } = visit.session
        const title = hasPassword ? t`Change your password` : t`Set a password`
        return sendAccountForm(visit, passwordForm, filled, {
          title,
          failed: t`Password not saved`,
          place: accountPlace,
          trail: [accountParts.security, { name: title }],
          about: html`<p>${t`You stay signed in here. All other browsers are signed out.`}</p>`,
          action: '/account/password',
          shown: { currentPassword: { autofocus: filled.errors.length === 0 } },
          without: [!hasPassword && 'currentPassword'],
          email,
          does: t`Save password`,
          after:
            hasPassword &&
            html`<p>${t.html`Forgot your password? <a href="/forgot-password">Get a link to set a new one</a>`}</p>`,
        })
      },
      async post({ session, by, reply, redirect }, { currentPassword, password }) {
        const change = { clearTextCurrentPassword: currentPassword, clearTextPassword: password }
        await settings.changePassword(session, change)
        await guard.sessions.markDevice(reply, by.userId)
        return redirect(accountParts.security.href, accountDone.password)
      },
    })
  }
}
