import type { OpenedInvitation } from '../../../domain/bots/invitations.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { secretReveal } from '../../../pages/components/secrets.ts'
import { errorPage } from '../../../pages/error-page.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { capabilityInWords, roleWords } from '../../../pages/words/bots.ts'
import { type FormError, messagesOf } from '../bot-errors.ts'
import { type BotPageView, botsFrame, botTrail } from '../bot-frame.ts'
import { botFrameWords, botRefusalWords } from '../words.ts'
import { type CoworkerInput, coworkerFields } from './coworker-page.ts'
import { invitationWords as words } from './words.ts'

interface NewInvitationView extends BotPageView {
  input: Pick<CoworkerInput, 'role' | 'capabilities'> & { label: string }
  errors: readonly FormError[]
}

export function newInvitationPage({ bot, person, input, errors }: NewInvitationView): Html {
  const back = `/bots/${bot.id}/coworkers`
  const ofLabel = messagesOf(errors, 'label')
  const others = errors.filter(({ field }) => field !== 'label').map(({ message }) => message)
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: errors.length > 0 ? words.form.notCreated : words.form.title(bot.name),
    trail: botTrail(bot, 'coworkers'),
    canonical: `/bots/${bot.id}/invitations/new`,
    body: html`<h1>${words.form.title(bot.name)}</h1>
${others.map((message) => notice({ tone: 'bad', body: message }))}
<p>${words.form.about}</p>
<form class="card" method="post" action="/bots/${bot.id}/invitations" novalidate>
<input type="hidden" name="form_token" value="${person.formToken}">
${textField({
  name: 'label',
  label: words.form.label,
  hint: words.form.labelHint,
  autocomplete: 'off',
  value: input.label,
  error: ofLabel,
  autofocus: ofLabel.length > 0,
})}
${coworkerFields(input)}
${buttonRow(button({ label: words.create, tone: 'primary' }), linkButton({ label: botFrameWords.cancel, href: back, tone: 'quiet' }))}
</form>`,
  })
}

/** @param link the full link with its token. Only this page shows it. */
export function invitationMadePage({ bot, person, link }: BotPageView & { link: string }): Html {
  const back = `/bots/${bot.id}/coworkers`
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: words.created.title,
    trail: botTrail(bot, 'coworkers'),
    canonical: back,
    shownOnce: true,
    body: html`<h1>${words.created.title}</h1>
${secretReveal({
  title: words.created.link,
  label: words.created.link,
  clearText: link,
  testId: 'invitation-link',
  explain: html`<p>${words.created.copyNow}</p><p>${words.form.about}</p>`,
})}
${linkButton({ label: words.created.back, href: back, tone: 'plain' })}`,
  })
}

interface OpenedInvitationView {
  person: Person
  userName: string
  invitation: OpenedInvitation
  clearTextToken: string
}

/**
 * Renders the invitation for its recipient, with buttons to accept or decline it. Once it is accepted, the page says
 * that the owner must confirm the recipient.
 */
export function invitationPage({ person, userName, invitation, clearTextToken }: OpenedInvitationView): Html {
  const { botName, ownerName, role, capabilities, acceptedBy } = invitation
  const form = (action: string, submit: Html) =>
    html`<form method="post" action="/invitation/${action}"><input type="hidden" name="form_token" value="${person.formToken}"><input type="hidden" name="token" value="${clearTextToken}">${submit}</form>`
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: words.open.title(botName),
    trail: [],
    body: html`<h1>${words.open.title(botName)}</h1>
${acceptedBy !== undefined && notice({ tone: 'good', body: words.open.waits })}
${card({
  id: 'invitation',
  title: words.open.invites(ownerName, botName),
  body: html`<p>${words.open.role}: <strong>${roleWords[role].name}</strong>. ${roleWords[role].may}</p>
${capabilities.length > 0 && html`<p>${words.open.capabilities}:</p><ul>${capabilities.map((one) => html`<li>${capabilityInWords(one)}</li>`)}</ul>`}
<p>${words.open.youAre(userName)}${acceptedBy === undefined && html` ${words.open.shown}`}</p>
<div class="buttons">${
    acceptedBy === undefined
      ? html`${form('acceptance', button({ label: words.open.accept, tone: 'primary' }))}${form('refusal', button({ label: words.open.decline, tone: 'plain' }))}`
      : form('refusal', button({ label: words.open.withdraw, tone: 'plain' }))
  }</div>`,
})}`,
  })
}

const toBots = linkButton({ label: botRefusalWords.toBots, href: '/bots', tone: 'plain' })

export function invitationDeclinedPage(person: Person): Html {
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: words.declined.title,
    trail: [],
    canonical: '/bots',
    body: html`<h1>${words.declined.title}</h1>
<p>${words.declined.body}</p>
${toBots}`,
  })
}

export function invitationRefusedPage(person: Person, why: 'unknown' | 'worksAlready'): Html {
  return errorPage({ ...words.refused[why], ways: [toBots] }, { ...botsFrame(person), trail: [] })
}
