import type { StatusSubscriber } from '../../../domain/bots/status-mail/status-mail-store.ts'
import { accountForm, emailField, type FormErrors } from '../../../pages/account-form.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { errorPage } from '../../../pages/error-page.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import { statusMailPaths } from '../../../pages/secret-links.ts'
import { statusMailWords as words } from './words.ts'

interface Form {
  formToken: string
  errors: FormErrors
}

const toStatus = (href: string) => linkButton({ label: words.toStatus, href, tone: 'quiet' })
const statusOf = ({ chatPlatformId }: StatusSubscriber) => `/botstatus/${chatPlatformId}`

/** @param path the path of the bot's status page. */
export function subscribePage(view: Form & { bot: string; path: string; email: string }): Html {
  const { bot, path, formToken, errors, email } = view
  return narrow(
    words.title(bot),
    html`<p>${words.about}</p>
${accountForm({
  action: `${path}/subscribe`,
  formToken,
  errors,
  does: words.subscribe,
  fields: [emailField(errors, { autocomplete: 'email', value: email })],
})}
<div class="buttons">${toStatus(path)}</div>`,
  )
}

/** Renders the same page for every address, so that it doesn't reveal which ones are subscribed. */
export function requestedPage(path: string): Html {
  const { title, said, nothingThere } = words.sent
  return narrow(title, html`<p>${said}</p><p>${nothingThere}</p><div class="buttons">${toStatus(path)}</div>`)
}

export function confirmPage(subscriber: StatusSubscriber, clearTextToken: string, form: Form): Html {
  const { title, said, button } = words.confirm
  const { botName, address } = subscriber
  return narrow(
    title(botName),
    html`<p>${said(address)} ${words.about}</p>${tokenForm(statusMailPaths.confirm, clearTextToken, button, form)}`,
  )
}

export function confirmedPage(subscriber: StatusSubscriber): Html {
  const { done, doneSaid } = words.confirm
  return narrow(
    done,
    html`<p>${doneSaid(subscriber.botName)}</p><div class="buttons">${toStatus(statusOf(subscriber))}</div>`,
  )
}

export function unsubscribePage(subscriber: StatusSubscriber, clearTextToken: string, form: Form): Html {
  const { title, button } = words.unsubscribe
  return narrow(
    title(subscriber.botName),
    html`<p>${words.confirm.said(subscriber.address)}</p>${tokenForm(statusMailPaths.unsubscribe, clearTextToken, button, form)}`,
  )
}

export function unsubscribedPage(): Html {
  const { done, doneSaid } = words.unsubscribe
  return narrow(done, html`<p>${doneSaid}</p>`)
}

/** Renders the page for an unknown, replaced or expired link. The page doesn't reveal which of these is the case. */
export function linkInvalidPage(person: Person | undefined): Html {
  return errorPage(words.invalid, { place: identityPlace, person })
}

function tokenForm(action: string, clearTextToken: string, does: Text, { formToken, errors }: Form): Html {
  const fields = [html`<input type="hidden" name="token" value="${clearTextToken}">`]
  return accountForm({ action, formToken, errors, does, fields })
}

function narrow(title: Text, body: Html): Html {
  return page({ title, place: identityPlace, width: 'narrow', body: html`<h1>${title}</h1>${body}` })
}
