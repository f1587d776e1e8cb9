import { mayDo } from '../../../domain/bots/bot-rights.ts'
import type { NamedCoworker } from '../../../domain/bots/bot-store.ts'
import { button, buttonRow } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { textField } from '../../../http/components/field.ts'
import { table } from '../../../http/components/table.ts'
import { type Html, html } from '../../../http/html.ts'
import type { FormError } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from './bot-frame.ts'
import { type CoworkerInput, coworkerFields } from './coworker-fields.ts'
import { doneNotice } from './done-notice.ts'
import { capabilityWords, roleWords } from './role-words.ts'

export interface CoworkersView extends BotPageView {
  coworkers: readonly NamedCoworker[]
  input: CoworkerInput
  errors: readonly FormError[]
  done: unknown
  by: { userId: string }
}

export function coworkersPage(view: CoworkersView): Html {
  const { bot, person, coworkers, input, errors, done } = view
  const changes = mayDo(view, 'change-coworkers')
  return botPartPage(view, {
    part: 'coworkers',
    ...(errors.length > 0 && { title: 'Coworker not added' }),
    done: doneNotice(done),
    body: html`${
      coworkers.length === 0
        ? html`<p>${changes ? 'You work on this bot alone.' : 'Nobody else works on this bot.'}</p>`
        : listOf(view, changes)
    }
${
  changes &&
  section({
    id: 'add',
    title: 'Add a coworker',
    about: html`<p>The person needs an account here. They see the bot among theirs at once, and are not asked.</p>`,
    body: html`<form class="card" method="post" action="/bots/${bot.id}/coworkers" novalidate>
<input type="hidden" name="form_token" value="${person.formToken}">
${textField({
  name: 'who',
  label: 'E-mail address or user id',
  autocomplete: 'off',
  inputmode: 'email',
  value: input.who,
  error: errors.map(({ message }) => message),
  autofocus: errors.length > 0,
})}
${coworkerFields(input)}
${buttonRow(button({ label: 'Add coworker', tone: 'primary' }))}
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
      return html`<div class="buttons"><a class="button plain small" href="${address(userId)}">Change${named}</a><a class="button dangerous small" href="${address(userId)}/removal">Remove${named}</a></div>`
    }
    return (
      userId === by.userId &&
      html`<a class="button dangerous small" href="${address(userId)}/removal">Leave the bot</a>`
    )
  }
  return table({
    caption: 'Coworkers by name',
    rows: coworkers,
    columns: [
      {
        title: 'Person',
        cell: ({ userId, name }) => html`${name}<br><code class="soft small">${userId}</code>`,
      },
      { title: 'Role', cell: ({ role }) => roleWords[role].name },
      {
        title: 'And also',
        cell: ({ capabilities }) => html`${capabilities.map((one) => html`<div>${inWords(one)}</div>`)}`,
      },
      { title: 'Change', cell: (coworker) => html`${ways(coworker)}` },
    ],
  })
}

function inWords(capability: string): Html | string {
  if (!Object.hasOwn(capabilityWords, capability)) return html`<code>${capability}</code>`
  return capabilityWords[capability as keyof typeof capabilityWords]
}
