import type { NamedCoworker } from '../../../domain/bots/bot.ts'
import { mayDo } from '../../../domain/bots/bot-access.ts'
import type { Invitation } from '../../../domain/bots/invitations.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { textField } from '../../../pages/components/field.ts'
import { table } from '../../../pages/components/table.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { FormError } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { doneNotice } from '../done-notice.ts'
import { roleWords } from '../words.ts'
import { type CoworkerInput, capabilityInWords, coworkerFields } from './coworker-fields.ts'
import { coworkerWords as words } from './coworker-words.ts'
import { invitationList } from './invitation-list.ts'
import { invitationWords } from './invitation-words.ts'

export interface CoworkersView extends BotPageView {
  coworkers: readonly NamedCoworker[]
  invitations: readonly Invitation[]
  input: CoworkerInput
  errors: readonly FormError[]
  done: string | undefined
  by: { userId: string }
}

export function coworkersPage(view: CoworkersView): Html {
  const { bot, person, coworkers, input, errors, done } = view
  const changes = mayDo(view, 'change-coworkers')
  return botPartPage(view, {
    part: 'coworkers',
    ...(errors.length > 0 && { title: words.notAdded }),
    done: doneNotice(done),
    body: html`${
      coworkers.length === 0 ? html`<p>${changes ? words.alone : words.nobodyElse}</p>` : listOf(view, changes)
    }
${view.invitations.length > 0 && invitationList(view)}
${
  changes &&
  section({
    id: 'add',
    title: words.add.title,
    about: html`<p>${words.add.about}</p>`,
    body: html`<form class="card" method="post" action="/bots/${bot.id}/coworkers" novalidate>
<input type="hidden" name="form_token" value="${person.formToken}">
${textField({
  name: 'who',
  label: words.add.who,
  autocomplete: 'off',
  inputmode: 'email',
  value: input.who,
  error: errors.map(({ message }) => message),
  autofocus: errors.length > 0,
})}
${coworkerFields(input)}
${buttonRow(
  button({ label: words.add.submit, tone: 'primary' }),
  linkButton({ label: invitationWords.create, href: `/bots/${bot.id}/invitations/new`, tone: 'plain' }),
)}
</form>`,
  })
}`,
  })
}

function listOf({ bot, coworkers, by }: CoworkersView, changes: boolean): Html {
  const address = (userId: string) => `/bots/${bot.id}/coworkers/${encodeURIComponent(userId)}`
  const ways = ({ userId, name }: NamedCoworker) => {
    const named = html`<span class="hidden-visually"> ${name}</span>`
    if (changes) {
      return html`<div class="buttons"><a class="button plain small" href="${address(userId)}">${words.change}${named}</a><a class="button dangerous small" href="${address(userId)}/removal">${words.remove}${named}</a></div>`
    }
    return (
      userId === by.userId &&
      html`<a class="button dangerous small" href="${address(userId)}/removal">${words.leave}</a>`
    )
  }
  return table({
    caption: words.caption,
    rows: coworkers,
    columns: [
      {
        title: words.person,
        cell: ({ userId, name }) => html`${name}<br><code class="soft small">${userId}</code>`,
      },
      { title: words.role, cell: ({ role }) => roleWords[role].name },
      {
        title: words.capabilities,
        cell: ({ capabilities }) => html`${capabilities.map((one) => html`<div>${capabilityInWords(one)}</div>`)}`,
      },
      { title: invitationWords.list.actions, cell: (coworker) => html`${ways(coworker)}` },
    ],
  })
}
