import { type CoworkerRole, coworkerRoles } from '../../../domain/bots/bot.ts'
import { choices } from '../../../pages/components/field.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { roleWords } from '../words.ts'
import { capabilityWords, coworkerWords } from './coworker-words.ts'

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

/** Returns a capability's label, or its name if it belongs to the platform and has no label here. */
export function capabilityInWords(capability: string): Text {
  if (!Object.hasOwn(capabilityWords, capability)) return html`<code>${capability}</code>`
  return capabilityWords[capability as keyof typeof capabilityWords]
}
