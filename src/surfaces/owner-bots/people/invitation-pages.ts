import type { OpenedInvitation } from '../../../domain/bots/invitations.ts'
import { button, linkButton, postForm } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { notice } from '../../../pages/components/notice.ts'
import { secretReveal } from '../../../pages/components/secrets.ts'
import { errorPage } from '../../../pages/error-page.ts'

import { type Html, html, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { capabilityInWords, roleWords } from '../../../pages/words/bots.ts'
import { type BotPageView, botsFrame, botTrail } from '../bot-frame.ts'
import { invitationWords as words } from './words.ts'

/** @param link the full link with its token. Only this page shows it. */
export function invitationMadePage({ bot, person, link }: BotPageView & { link: string }): Html {
  const back = `/bots/${bot.id}/coworkers`
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: t`Invitation created`,
    trail: botTrail(bot, 'coworkers'),
    canonical: back,
    shownOnce: true,
    body: html`<h1>${t`Invitation created`}</h1>
${secretReveal({
  title: t`Invitation link`,
  label: t`Invitation link`,
  clearText: link,
  testId: 'invitation-link',
  explain: html`${t`Copy the link now and send it to the person. It is shown only once.`} ${words.form.about}`,
})}
${linkButton({ label: t`View collaborators`, href: back, tone: 'plain' })}`,
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
    title: t`Invitation to ${botName}`,
    trail: [],
    body: html`<h1>${t`Invitation to ${botName}`}</h1>
${acceptedBy !== undefined && notice({ tone: 'good', body: t`Invitation accepted. You get access when the owner confirms you.` })}
${card({
  id: 'invitation',
  title: t`${ownerName} invites you to work on ${botName}.`,
  body: html`<p>${t`${t`Role`}: ${html`<strong>${roleWords[role].name}</strong>`}`}. ${roleWords[role].may}</p>
${capabilities.length > 0 && html`<p>${t`Extra permissions`}:</p><ul>${capabilities.map((one) => html`<li>${capabilityInWords(one)}</li>`)}</ul>`}
<p>${t`You are signed in as ${userName}.`}${acceptedBy === undefined && html` ${t`If you accept, the owner sees your name, email address and user ID, and must then confirm you.`}`}</p>
<div class="buttons">${
    acceptedBy === undefined
      ? html`${form('acceptance', button({ label: t`Accept invitation`, tone: 'primary' }))}${form('refusal', button({ label: t`Decline invitation`, tone: 'plain' }))}`
      : form('refusal', button({ label: t`Withdraw acceptance`, tone: 'plain' }))
  }</div>`,
})}`,
  })
}

const toBots = linkButton({ label: t`Go to your bots`, href: '/bots', tone: 'plain' })

export function invitationDeclinedPage(person: Person): Html {
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: t`Invitation declined`,
    trail: [],
    canonical: '/bots',
    body: html`<h1>${t`Invitation declined`}</h1>
<p>${t`The link no longer works.`}</p>
${toBots}`,
  })
}

export function invitationRefusedPage(person: Person, why: 'unknown' | 'worksAlready'): Html {
  return errorPage({ ...words.refused[why], ways: [toBots] }, { ...botsFrame(person), trail: [] })
}
