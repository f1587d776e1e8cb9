import { section } from '../../../pages/components/card.ts'
import { copyBlock, copyButton } from '../../../pages/components/copy-field.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { BotPageView } from '../bot-frame.ts'
import { curlSample } from '../flows/curl-sample.ts'
import { webhookAddress } from '../flows/flows-page.ts'
import type { DeliveryData } from './delivery-data.ts'
import { deliveryWords } from './delivery-words.ts'
import { cut } from './list-parts.ts'
import { shownBody } from './shown-body.ts'

const words = deliveryWords.request

/** Renders the webhook as it was received, with a command that sends it again. */
export function requestSection(view: BotPageView & DeliveryData & { apiUrl: string }): Html {
  const { bot, event } = view
  const { clientIp, path, preview, bodyBytes } = event
  const { markup, form, isCut } = shownBody(preview)
  const curl = curlOf(view)
  return section({
    id: 'request',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body: html`<div class="card"><dl><dt>${words.path}</dt><dd><code>${path}</code></dd><dt>${words.sentFrom}</dt><dd><code>${clientIp}</code></dd>
${headersOf(event).map(([name, value]) => html`<dt><code>${name}</code></dt><dd>${cut(value, 1_000)}</dd>`)}</dl></div>
<div class="card copy"><div class="head-row"><div class="stack tight"><h3>${words.body}</h3><p class="soft small">${words.shown(bodyBytes, bodyBytes > 0 ? words.forms[form] : undefined, isCut)}</p></div>${bodyBytes > 0 && copyButton(words.body)}</div>
${bodyBytes > 0 && html`<pre class="body text" tabindex="0" aria-label="${words.body}">${markup}</pre><p><a href="/bots/${bot.id}/deliveries/${event.id}/body" download>${words.download}</a></p>`}</div>
${curl !== undefined && html`<details class="reveal"><summary>${words.curl}</summary>${copyBlock({ label: words.curlHint, text: curl })}</details>`}`,
  })
}

/** Longest body that is written into the command. For longer ones, the command reads the downloaded file. */
const bodyInCommandMaxBytes = 2_000

function curlOf({ bot, flow, event, apiUrl }: BotPageView & DeliveryData & { apiUrl: string }): string | undefined {
  if (!flow?.webhook) return undefined
  const { form, shown, cut: isCut } = event.preview
  const inCommand = form === 'text' && !isCut && event.bodyBytes <= bodyInCommandMaxBytes
  const body = inCommand ? { text: shown } : { file: `${event.id}.bin` }
  const headers = headersOf(event).filter(([name]) => name !== 'x-forwarded-for')
  return curlSample(webhookAddress(apiUrl, bot.id, flow.webhook.path), flow.webhook, { body, headers })
}

function headersOf({ headers }: DeliveryData['event']): [name: string, value: string][] {
  const { contentType, userAgent, forwardedFor, requestId } = headers
  const sent: [string, string | undefined][] = [
    ['content-type', contentType],
    ['user-agent', userAgent],
    ['x-forwarded-for', forwardedFor],
    ['x-request-id', requestId],
  ]
  return sent.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
}
