import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { state } from '../../../pages/components/notice.ts'
import { type Html, html, type Text, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountPlace, identityPlace } from '../../../pages/places.ts'
import { signInWords } from '../words.ts'
import { type SignUpForm, signUpForm } from './sign-in-pages.ts'

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
