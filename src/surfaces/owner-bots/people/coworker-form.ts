import { coworkerRoles } from '../../../domain/bots/bot.ts'
import { capabilityMay } from '../../../domain/bots/bot-access.ts'
import { form, oneOf, severalOf } from '../../../pages/form.ts'
import { capabilityWords, roleWords } from '../../../pages/words/bots.ts'
import { coworkerWords } from './words.ts'

/** The fields for a collaborator's role and capabilities. */
export const roleFields = {
  role: oneOf({
    label: coworkerWords.role,
    among: coworkerRoles
      .toReversed()
      .map((value) => ({ value, label: roleWords[value].name, hint: roleWords[value].may })),
    otherwise: 'viewer',
  }),
  capability: severalOf<string>({
    label: coworkerWords.capabilities,
    hint: coworkerWords.capabilitiesHint,
    among: Object.keys(capabilityMay).map((value) => ({
      value,
      label: capabilityWords[value as keyof typeof capabilityWords],
    })),
  }),
}

export const noRole = { role: 'viewer', capability: [] } as const

export const roleForm = form(roleFields)
