import { button, buttonRow } from '../../../pages/components/button.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'

export interface ProviderButtons {
  does: (provider: string) => Text
  providers: readonly { name: string; action: string }[]
  formToken: string
}

/** Renders one form per provider, or nothing if there are none. */
export function providerButtons({ does, providers, formToken }: ProviderButtons): Html | false {
  return (
    providers.length > 0 &&
    html`<div class="stack tight ways">${providers.map(
      ({ name, action }) => html`<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
${buttonRow(button({ label: does(name), tone: 'plain' }))}
</form>`,
    )}</div>`
  )
}
