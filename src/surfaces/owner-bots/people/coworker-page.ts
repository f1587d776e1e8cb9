import { type CoworkerRole, coworkerRoles, type NamedCoworker } from '../../../domain/bots/bot.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { choices } from '../../../pages/components/field.ts'
import { type Html, html } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { capabilityWords, roleWords } from '../../../pages/words/bots.ts'
import { type BotPageView, botsFrame, botTrail, confirmPage } from '../bot-frame.ts'
import { botFrameWords } from '../words.ts'
import { coworkerWords } from './words.ts'

interface CoworkerView extends BotPageView {
  coworker: NamedCoworker
}

export function changeCoworkerPage({ bot, person, coworker, input }: CoworkerView & { input: CoworkerInput }): Html {
  const back = `/bots/${bot.id}/coworkers`
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title: coworkerWords.changePage.title(coworker.name, bot.name),
    trail: [...botTrail(bot, 'coworkers'), { name: coworker.name }],
    body: html`<h1>${coworkerWords.changePage.heading(coworker.name)}</h1>
<form class="card" method="post" action="${back}/${encodeURIComponent(coworker.userId)}">
<input type="hidden" name="form_token" value="${person.formToken}">
${coworkerFields(input)}
${buttonRow(button({ label: coworkerWords.changePage.save, tone: 'primary' }), linkButton({ label: botFrameWords.cancel, href: back, tone: 'quiet' }))}
</form>`,
  })
}

/**
 * Renders the confirmation page for removing a collaborator. Users who remove themselves confirm that they leave the
 * bot.
 */
export function removeCoworkerPage({ bot, person, coworker, by }: CoworkerView & { by: { userId: string } }): Html {
  const { removal } = coworkerWords
  const leaves = coworker.userId === by.userId
  const back = `/bots/${bot.id}/coworkers`
  return confirmPage({
    person,
    within: botTrail(bot, 'coworkers'),
    title: leaves ? removal.leaveTitle(bot.name) : removal.title(coworker.name, bot.name),
    effect: html`<p>${leaves ? removal.leaveEffect : removal.effect(coworker.name)}</p>`,
    action: `${back}/${encodeURIComponent(coworker.userId)}/removal`,
    label: leaves ? coworkerWords.leave : coworkerWords.remove,
    aside: leaves ? removal.stay : removal.keep,
  })
}

/** Input of the form that adds a collaborator. */
export interface CoworkerInput {
  /** Email address or user ID. */
  who: string
  role: CoworkerRole
  capabilities: readonly string[]
}

/** Renders the fields for a collaborator's role and capabilities. */
export function coworkerFields({ role, capabilities }: Pick<CoworkerInput, 'role' | 'capabilities'>): Html {
  return html`${choices({
    name: 'role',
    label: coworkerWords.role,
    choose: 'one',
    chosen: [role],
    among: coworkerRoles
      .toReversed()
      .map((value) => ({ value, label: roleWords[value].name, hint: roleWords[value].may })),
  })}
${choices({
  name: 'capability',
  label: coworkerWords.capabilities,
  hint: coworkerWords.capabilitiesHint,
  choose: 'several',
  chosen: capabilities,
  among: Object.entries(capabilityWords).map(([value, label]) => ({ value, label })),
})}`
}
