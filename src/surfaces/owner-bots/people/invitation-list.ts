import type { Accepter, Invitation } from '../../../domain/bots/invitations.ts'
import { button } from '../../../pages/components/button.ts'
import { table } from '../../../pages/components/table.ts'
import { timeUntil } from '../../../pages/components/time.ts'
import { type Html, html, type Words } from '../../../pages/html.ts'
import type { BotPageView } from '../bot-frame.ts'
import { roleWords } from '../words.ts'
import { capabilityInWords } from './coworker-fields.ts'
import { invitationWords } from './invitation-words.ts'

const words = invitationWords.list

export interface InvitationListView extends BotPageView {
  invitations: readonly Invitation[]
}

/** Renders a bot's invitations. An accepted one shows the user and the buttons that confirm or decline them. */
export function invitationList({ bot, person, invitations, nowMs }: InvitationListView): Html {
  const form = ({ number }: Invitation, action: string, fields: Html) =>
    html`<form method="post" action="/bots/${bot.id}/invitations/${number}/${action}"><input type="hidden" name="form_token" value="${person.formToken}">${fields}</form>`
  const named = (does: Words, { label }: Invitation) => html`${does}<span class="hidden-visually"> ${label}</span>`
  const actions = (invitation: Invitation) => {
    const { accepter } = invitation
    if (accepter === undefined) {
      const revoke = button({ label: named(words.revoke, invitation), tone: 'dangerous', small: true })
      return html`<div class="buttons">${form(invitation, 'revocation', revoke)}</div>`
    }
    return html`<div class="buttons">${form(
      invitation,
      'confirmation',
      html`<input type="hidden" name="user" value="${accepter.userId}">${button({ label: named(words.confirm, invitation), tone: 'primary', small: true })}`,
    )}${form(invitation, 'revocation', button({ label: named(words.decline, invitation), tone: 'dangerous', small: true }))}</div>`
  }
  return html`<section class="stack" aria-labelledby="invitations"><h2 id="invitations">${words.title}</h2>
${table({
  caption: words.caption,
  rows: invitations,
  columns: [
    {
      title: words.for,
      cell: ({ label, role, capabilities }) =>
        html`${label}<br><span class="soft small">${roleWords[role].name}</span>${capabilities.map((one) => html`<div class="soft small">${capabilityInWords(one)}</div>`)}`,
    },
    {
      title: words.state,
      cell: ({ accepter, expiresAtMs }) =>
        html`${accepter === undefined ? words.notUsed : acceptedBy(accepter)}<br><span class="soft small">${words.expires(timeUntil(expiresAtMs, nowMs))}</span>`,
    },
    { title: words.actions, cell: actions },
  ],
})}</section>`
}

/**
 * Renders the user who accepted an invitation. Shows the user ID, because anyone can sign up with any name and email
 * address.
 */
function acceptedBy({ userId, name, email, emailVerified }: Accepter): Html {
  const confirmed = emailVerified
    ? html`<span class="soft small">${words.confirmed}</span>`
    : html`<strong class="small">${words.notConfirmed}</strong>`
  return html`${words.acceptedBy} <strong>${name}</strong><br>${email === null ? words.noEmail : html`${email}<br>${confirmed}`}<br><code class="soft small">${userId}</code>`
}
