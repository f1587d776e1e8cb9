import { needsPin } from '../../../domain/authorization/scope.ts'
import { choices } from '../../../pages/components/field.ts'
import { pinLock } from '../../../pages/components/icon.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import type { DescribedScope } from '../authorization-url.ts'

/** Renders a check box per scope. @param described whether each box also says what its scope allows. */
export function scopeChoices(scopes: readonly DescribedScope[], chosen: readonly string[], described: boolean): Html {
  return choices({
    name: 'scope',
    label: t`Scopes`,
    choose: 'several',
    inline: true,
    chosen,
    among: scopes.map(({ name, inWords }) => ({
      value: name,
      label: html`<code>${name}</code>${needsPin([name]) && html` ${pinLock()}`}`,
      ...(described && { hint: inWords }),
    })),
  })
}
