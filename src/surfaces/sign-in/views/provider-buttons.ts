import { button, buttonRow } from '../../../http/components/button.ts'
import { type Html, html } from '../../../http/html.ts'

export interface ProviderButtons {
  /** `Sign in` or `Sign up`. */
  does: 'Sign in' | 'Sign up'
  providers: readonly { name: string; action: string }[]
  formToken: string
}

/** One form for each provider that people can sign in with; nothing where there is none. */
export function providerButtons({ does, providers, formToken }: ProviderButtons): Html | false {
  return (
    providers.length > 0 &&
    html`<div class="stack tight">${providers.map(
      ({ name, action }) => html`<form method="post" action="${action}">
<input type="hidden" name="form_token" value="${formToken}">
${buttonRow(button({ label: `${does} with ${name}`, tone: 'plain' }))}
</form>`,
    )}</div>`
  )
}
