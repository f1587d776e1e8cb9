import { collaboratorRoles, type NamedCollaborator } from '../../../domain/bots/bot.ts'
import { capabilityMay, mayDo } from '../../../domain/bots/bot-access.ts'
import type { Accepter, Invitation } from '../../../domain/bots/invitations.ts'
import { button, buttonRow, linkButton, postForm } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { timeUntil } from '../../../pages/components/figures.ts'
import { table } from '../../../pages/components/table.ts'
import { type Filled, form, oneOf, severalOf, textField } from '../../../pages/form.ts'
import { type Html, html, t, type Words } from '../../../pages/html.ts'
import { capabilityInWords, capabilityWords, roleWords } from '../../../pages/words/bots.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'

export const roleFields = {
  role: oneOf({
    label: t`Role`,
    among: collaboratorRoles
      .toReversed()
      .map((value) => ({ value, label: roleWords[value].name, hint: roleWords[value].may })),
    otherwise: 'viewer',
  }),
  capability: severalOf<string>({
    label: t`Extra permissions`,
    hint: t`In addition to what the role allows.`,
    among: Object.keys(capabilityMay).map((value) => ({
      value,
      label: capabilityWords[value as keyof typeof capabilityWords],
    })),
  }),
}

export const noRole = { role: 'viewer', capability: [] } as const

export const roleForm = form(roleFields)

export const newCoworkerForm = form(
  {
    who: textField({ label: t`Email address or user ID`, autocomplete: 'off', inputmode: 'email', trim: true }),
    ...roleFields,
  },
  { focusesError: true },
)

export type NewCoworker = Filled<ReturnType<typeof newCoworkerForm.read>>

interface CoworkersView extends BotPageView {
  coworkers: readonly NamedCollaborator[]
  invitations: readonly Invitation[]
  filled: Omit<NewCoworker, 'status'>
  by: { userId: string }
}

export function coworkersPage(view: CoworkersView): Html {
  const { bot, coworkers, filled } = view
  const changes = mayDo(view, 'change-coworkers')
  return botPartPage(view, {
    part: 'coworkers',
    ...(filled.errors.length > 0 && { title: t`Collaborator not added` }),
    body: html`${
      coworkers.length === 0
        ? html`<p>${changes ? t`No collaborators yet.` : t`This bot has no collaborators.`}</p>`
        : listOf(view, changes)
    }
${view.invitations.length > 0 && invitationList(view)}
${
  changes &&
  section({
    id: 'add',
    title: t`Add a collaborator`,
    about: html`<p>${t`Enter the user ID or confirmed email address of a user. They get access immediately. For anyone else, create an invitation.`}</p>`,
    body: postForm(
      { action: `/bots/${bot.id}/coworkers`, style: 'card', novalidate: true },
      Object.values(newCoworkerForm.fields(filled)),
      buttonRow(
        button({ label: t`Add collaborator`, tone: 'primary' }),
        linkButton({ label: t`Create invitation`, href: `/bots/${bot.id}/invitations/new`, tone: 'plain' }),
      ),
    ),
  })
}`,
  })
}

function listOf({ bot, coworkers, by }: CoworkersView, changes: boolean): Html {
  const address = (userId: string) => `/bots/${bot.id}/coworkers/${encodeURIComponent(userId)}`
  const ways = ({ userId, name }: NamedCollaborator) => {
    const named = html`<span class="hidden-visually"> ${name}</span>`
    if (changes) {
      return html`<div class="buttons"><a class="button plain small" href="${address(userId)}">${t`Change`}${named}</a><a class="button dangerous small" href="${address(userId)}/removal">${t`Remove`}${named}</a></div>`
    }
    return (
      userId === by.userId &&
      html`<a class="button dangerous small" href="${address(userId)}/removal">${t`Leave bot`}</a>`
    )
  }
  return table({
    caption: t`Collaborators, sorted by name`,
    rows: coworkers,
    columns: [
      {
        title: t`Person`,
        cell: ({ userId, name }) => html`${name}<br><code class="soft small">${userId}</code>`,
      },
      { title: t`Role`, cell: ({ role }) => roleWords[role].name },
      {
        title: t`Extra permissions`,
        cell: ({ capabilities }) => html`${capabilities.map((one) => html`<div>${capabilityInWords(one)}</div>`)}`,
      },
      { title: t`Actions`, cell: (coworker) => html`${ways(coworker)}` },
    ],
  })
}

interface InvitationListView extends BotPageView {
  invitations: readonly Invitation[]
}

/** Renders a bot's invitations. An accepted one shows the user and the buttons that confirm or decline them. */
function invitationList({ bot, invitations, nowMs }: InvitationListView): Html {
  const answer = ({ number }: Invitation, action: string, fields: Html) =>
    postForm({ action: `/bots/${bot.id}/invitations/${number}/${action}` }, fields)
  const named = (does: Words, { label }: Invitation) => html`${does}<span class="hidden-visually"> ${label}</span>`
  const actions = (invitation: Invitation) => {
    const { accepter } = invitation
    if (accepter === undefined) {
      const revoke = button({ label: named(t`Revoke`, invitation), tone: 'dangerous', small: true })
      return html`<div class="buttons">${answer(invitation, 'revocation', revoke)}</div>`
    }
    return html`<div class="buttons">${answer(
      invitation,
      'confirmation',
      html`<input type="hidden" name="user" value="${accepter.userId}">${button({ label: named(t`Confirm`, invitation), tone: 'primary', small: true })}`,
    )}${answer(invitation, 'revocation', button({ label: named(t`Decline`, invitation), tone: 'dangerous', small: true }))}</div>`
  }
  return html`<section class="stack" aria-labelledby="invitations"><h2 id="invitations">${t`Invitations`}</h2>
${table({
  caption: t`Open invitations`,
  rows: invitations,
  columns: [
    {
      title: t`For`,
      cell: ({ label, role, capabilities }) =>
        html`${label}<br><span class="soft small">${roleWords[role].name}</span>${capabilities.map((one) => html`<div class="soft small">${capabilityInWords(one)}</div>`)}`,
    },
    {
      title: t`State`,
      cell: ({ accepter, expiresAtMs }) =>
        html`${accepter === undefined ? t`Not accepted yet` : acceptedBy(accepter)}<br><span class="soft small">${t`Expires ${timeUntil(expiresAtMs, nowMs)}`}</span>`,
    },
    { title: t`Actions`, cell: actions },
  ],
})}</section>`
}

/**
 * Renders the user who accepted an invitation. Shows the user ID, because anyone can sign up with any name and email
 * address.
 */
function acceptedBy({ userId, name, email, emailVerified }: Accepter): Html {
  const confirmed = emailVerified
    ? html`<span class="soft small">${t`Email confirmed`}</span>`
    : html`<strong class="small">${t`Email not confirmed`}</strong>`
  return html`${t`Accepted by`} <strong>${name}</strong><br>${email === null ? t`No email address` : html`${email}<br>${confirmed}`}<br><code class="soft small">${userId}</code>`
}
