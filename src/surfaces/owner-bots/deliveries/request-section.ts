import { sentHeaders } from '../../../api/resources/delivery-records.ts'
import type { BodyPreview } from '../../../domain/webhooks/body-preview.ts'
import { code, section } from '../../../pages/components/elements.ts'
import { bytesWords } from '../../../pages/components/figures.ts'
import { copyBlock, copyButton } from '../../../pages/components/secrets.ts'
import { cut, type Html, html, t } from '../../../pages/html.ts'
import type { BotVisit } from '../bot-pages.ts'
import { curlSample, headerText, webhookAddress } from '../flows/samples.ts'
import type { DeliveryData } from './delivery-data.ts'

const formWords = { json: t`JSON`, text: t`text`, hex: t`hexadecimal digits` }
const curlHint = t`Sends this request again. If the command uses ${code('GATEHOUSE_FLOW_KEY')} or ${code('GATEHOUSE_SIGNING_SECRET')}, set them first. If it reads a file, download the original body first.`

export function requestSection(view: BotVisit & DeliveryData): Html {
  const { bot, event } = view
  const { clientIp, path, preview, bodyBytes } = event
  const { markup, form, isCut } = shownBody(preview)
  const size = bodyBytes === 0 ? bytesWords(0) : t`${bytesWords(bodyBytes)}, shown as ${formWords[form]}`
  const curl = curlOf(view)
  return section({
    id: 'request',
    title: t`Request`,
    about: html`<p>${t`The request as received. Of its headers, only content-type, user-agent, x-forwarded-for and x-request-id are kept.`}</p>`,
    body: html`<div class="card compact"><dl><dt>${t`Path`}</dt><dd><code>${path}</code></dd><dt>${t`Client IP`}</dt><dd><code>${clientIp}</code></dd>
${Object.entries(sentHeaders(event.headers)).map(([name, value]) => html`<dt><code>${name}</code></dt><dd>${cut(headerText(value) ?? value, 1_000)}</dd>`)}</dl></div>
<div class="card compact copy"><div class="head-row"><div class="stack tight"><h3>${t`Body`}</h3><p class="soft small">${isCut ? t`${size}. Only the beginning is shown.` : t`${size}.`}</p></div>${bodyBytes > 0 && copyButton(t`Body`)}</div>
${bodyBytes > 0 && html`<pre class="body text" tabindex="0" aria-label="${t`Body`}">${markup}</pre><p><a href="/bots/${bot.id}/deliveries/${event.id}/body" download>${t`Download original body`}</a></p>`}</div>
${curl !== undefined && html`<details class="reveal"><summary>${t`Copy as curl`}</summary>${copyBlock({ label: curlHint, text: curl })}</details>`}`,
  })
}

/** Longest body that is written into the command. For longer ones, the command reads the downloaded file. */
const bodyInCommandMaxBytes = 2_000

function curlOf({ bot, flow, event, services }: BotVisit & DeliveryData): string | undefined {
  if (!flow?.webhook) return undefined
  const { form, shown, cut: isCut } = event.preview
  // Browsers turn carriage returns on a page into line feeds.
  const inCommand = form === 'text' && !isCut && event.bodyBytes <= bodyInCommandMaxBytes && !shown.includes('\r')
  const body = inCommand ? { text: shown } : { file: `${event.id}.bin` }
  const { contentType, userAgent, requestId } = event.headers
  const headers: [string, string | undefined][] = [
    ['content-type', contentType],
    ['user-agent', userAgent],
  ]
  if (requestId !== undefined) headers.push(['x-request-id', requestId])
  return curlSample(webhookAddress(services.apiUrl, bot.id, flow.webhook.path), flow.webhook, { body, headers })
}

/** Maximum size of a body as markup, in bytes. The download contains the whole body. */
const shownBytes = 16_000

/** Formats a body: JSON indented and highlighted, other text as it is, anything else as hexadecimal. */
function shownBody({ form, shown: text, cut }: BodyPreview) {
  const pretty = form === 'text' && !cut ? prettyJson(text) : undefined
  const { markup, isCut } = fitted(pretty === undefined ? [{ kind: 'plain', text }] : tokensOf(pretty))
  return { markup, form: pretty === undefined ? form : ('json' as const), isCut: isCut || cut }
}

interface Token {
  kind: 'name' | 'string' | 'other' | 'plain'
  text: string
}

function tokensOf(pretty: string): Token[] {
  const pattern = /("(?:[^"\\]|\\.)*")(?=(:)?)|([-+.\w]+)|[^"\-+.\w]+/g
  return [...pretty.matchAll(pattern)].map(([text, string, colon, value]) => {
    if (string !== undefined) return { kind: colon === undefined ? 'string' : 'name', text }
    return { kind: value === undefined ? 'plain' : 'other', text }
  })
}

/** Uses the shortest tags, because each token has one. The stylesheet defines their look. */
const tags: Record<Token['kind'], (text: string) => Html> = {
  name: (text) => html`<b>${text}</b>`,
  string: (text) => html`<i>${text}</i>`,
  other: (text) => html`<u>${text}</u>`,
  plain: (text) => html`${text}`,
}

const tagBytes = 7

function fitted(tokens: readonly Token[]): { markup: Html; isCut: boolean } {
  const shown: Html[] = []
  let room = shownBytes
  for (const { kind, text } of tokens) {
    if (kind !== 'plain') room -= tagBytes
    const { characters, left } = fittingCharacters(text, room)
    const fits = text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')
    shown.push(tags[kind](fits))
    if (characters < text.length) return { markup: html`${shown}…`, isCut: true }
    room = left
  }
  return { markup: html`${shown}`, isCut: false }
}

/** Returns how many leading characters fit into this many bytes, estimated as UTF-8 after escaping. */
function fittingCharacters(text: string, bytes: number): { characters: number; left: number } {
  let left = bytes
  let characters = 0
  for (; characters < text.length && left > 0; characters += 1) {
    const character = text[characters] as string
    left -= /[&<>"']/.test(character) ? 6 : character > '\u007f' ? 3 : 1
  }
  return { characters, left }
}

/** Maximum indentation depth, so that a body of nested brackets doesn't turn into megabytes of spaces. */
const deepest = 16

/**
 * Indents JSON without changing any token: preserves long numbers, member order and repeated names. Returns `undefined`
 * if the text isn't a JSON object or array. Drops a byte order mark.
 */
export function prettyJson(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (typeof parsed !== 'object' || parsed === null) return undefined
  } catch {
    return undefined
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  let depth = 0
  let pretty = ''
  const line = () => `\n${'  '.repeat(Math.min(depth, deepest))}`
  for (const [at, token] of tokens.entries()) {
    if (token === '{' || token === '[') {
      depth += 1
      const closes = tokens[at + 1] === '}' || tokens[at + 1] === ']'
      pretty += closes ? token : token + line()
    } else if (token === '}' || token === ']') {
      depth -= 1
      const opened = tokens[at - 1] === '{' || tokens[at - 1] === '['
      pretty += opened ? token : line() + token
    } else if (token === ',') pretty += token + line()
    else pretty += token === ':' ? ': ' : token
  }
  return pretty
}
