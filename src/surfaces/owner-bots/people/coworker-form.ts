import { collaboratorRoles } from '../../../domain/bots/bot.ts'
import { capabilityMay } from '../../../domain/bots/bot-access.ts'
import { form, oneOf, severalOf } from '../../../pages/form.ts'
import { t } from '../../../pages/html.ts'
import { capabilityWords, roleWords } from '../../../pages/words/bots.ts'

/** The fields for a collaborator's role and capabilities. */
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
