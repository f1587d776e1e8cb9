import type { OpenedInvitation } from '../../../domain/bots/invitations.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { notice } from '../../../pages/components/notice.ts'
import { secretReveal } from '../../../pages/components/secrets.ts'
import { errorPage } from '../../../pages/error-page.ts'
import { postForm } from '../../../pages/form.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { capabilityInWords, roleWords } from '../../../pages/words/bots.ts'
import { type BotPageView, botsFrame, botTrail } from '../bot-frame.ts'
import { botRefusalWords } from '../words.ts'
import { invitationWords as words } from './words.ts'

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
    postForm(
      { action: `/invitation/${action}` },
      html`<input type="hidden" name="token" value="${clearTextToken}">${submit}`,
    )
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
