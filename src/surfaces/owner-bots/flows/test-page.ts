import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { textArea, textField } from '../../../pages/components/field.ts'
import { errorSummary, notice } from '../../../pages/components/notice.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import type { FormError } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { botFrameWords } from '../words.ts'
import { type TestInput, testFields } from './test-webhook.ts'
import { testWords as words } from './test-words.ts'

export interface TestView extends BotPageView {
  flow: Flow
  webhook: FlowWebhook
  input: TestInput
  errors: readonly FormError[]
}

/** Renders the form for a test webhook: its body, and the headers that reach the bot. */
export function testPage(view: TestView): Html {
  const { bot, flow, webhook, input, errors, person } = view
  const address = `/bots/${bot.id}/flows/${flow.id}`
  const errorOf = (field: string) => errors.filter((error) => error.field === field).map(({ message }) => message)
  return botPartPage(view, {
    part: 'flows',
    inside: { above: [{ name: flow.name, href: address }], name: words.title },
    canonical: `${address}/test`,
    body: html`<div class="stack tight"><p class="soft">${words.about}</p><p class="soft">${authentication(webhook)}</p></div>
${errors.filter(({ field }) => field === undefined).map(({ message }) => notice({ tone: 'bad', body: message }))}
${errorSummary(errors.flatMap(({ field, message }) => (field === undefined ? [] : [{ field, message }])))}
<form class="card" method="post" action="${address}/test" novalidate><input type="hidden" name="form_token" value="${person.formToken}">
${textArea({ name: 'body', label: words.body, rows: 8, code: true, value: input.body, error: errorOf('body') })}
${testFields.map(({ name, header }) => textField({ name, label: header, code: true, autocomplete: 'off', value: input[name], error: errorOf(name) }))}
<p class="hint">${words.headersHint}</p>
${buttonRow(button({ label: words.send, tone: 'primary' }), linkButton({ label: botFrameWords.cancel, href: address, tone: 'quiet' }))}
</form>`,
  })
}

/** Explains how the test passes the check of the signature or key. Empty if the flow checks neither. */
function authentication({ requiresKey, signature }: FlowWebhook): Text {
  if (signature !== null) return signature.preset === 'discord' ? words.discord : words.signed
  return requiresKey ? words.noKeyNeeded : ''
}
