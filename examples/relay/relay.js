import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

// WEBHOOK_URL is the URL of one flow, or of a bot: then the relay's path is appended.
const { WEBHOOK_URL, GATEHOUSE_FLOW_KEY, META_VERIFY_TOKEN, ZOOM_SECRET_TOKEN, PORT = '4004' } = process.env
if (WEBHOOK_URL === undefined) throw new Error('Set WEBHOOK_URL to the webhook URL that the page of the flow shows.')

const bodyMaxBytes = 1_048_576
// Headers of this connection, which must not reach the next one.
const ownHeaders = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'transfer-encoding',
  'upgrade',
]

const plain = (status, text) => ({ status, text, headers: { 'content-type': 'text/plain' } })
const json = (value) => ({ status: 200, text: JSON.stringify(value), headers: { 'content-type': 'application/json' } })

/** Answers what a sender asks before it sends webhooks, by the form of the question. Anything else is undefined. */
function verificationOf({ method, query, headers, body }) {
  // Meta: the token shows that you entered this URL.
  if (query.has('hub.challenge')) {
    if (META_VERIFY_TOKEN === undefined || !isSame(query.get('hub.verify_token') ?? '', META_VERIFY_TOKEN)) {
      return plain(403, 'Wrong verify token.')
    }
    return plain(200, query.get('hub.challenge'))
  }
  // Microsoft Graph, and Dropbox.
  const challenge = query.get('validationToken') ?? (method === 'GET' ? query.get('challenge') : null)
  if (challenge !== null) return plain(200, challenge)
  // CloudEvents: the sender's origin may send any number of webhooks.
  const origin = headers['webhook-request-origin']
  if (method === 'OPTIONS' && origin !== undefined) {
    return { ...plain(200, ''), headers: { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' } }
  }
  // Trello asks with HEAD, and people open the URL in a browser.
  if (method === 'HEAD' || method === 'GET') return plain(200, 'This relay passes webhooks on.\n')
  if (method !== 'POST') return plain(405, 'Send webhooks with POST.\n')

  const asked = parsed(body)
  if (asked?.type === 'url_verification' && typeof asked.challenge === 'string') return plain(200, asked.challenge)
  const zoomToken = asked?.event === 'endpoint.url_validation' ? asked.payload?.plainToken : undefined
  // Zoom signs webhooks with the same secret, and what it signs has colons: without this check, anyone could ask for
  // the signature of a webhook.
  if (typeof zoomToken === 'string' && !zoomToken.includes(':') && ZOOM_SECRET_TOKEN !== undefined) {
    const encryptedToken = createHmac('sha256', ZOOM_SECRET_TOKEN).update(zoomToken).digest('hex')
    return json({ plainToken: zoomToken, encryptedToken })
  }
  return undefined
}

function isSame(one, other) {
  const digest = (text) => createHmac('sha256', 'relay').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

function parsed(body) {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

/** Passes the webhook on with all its headers, among them the signature, which Gatehouse checks. */
async function pass({ path, headers, body }) {
  const passed = Object.entries(headers).filter(([name]) => !ownHeaders.includes(name))
  if (GATEHOUSE_FLOW_KEY !== undefined) passed.push(['svc-key', GATEHOUSE_FLOW_KEY])
  const url = WEBHOOK_URL.replace(/\/$/, '') + (path === '/' ? '' : path)
  const response = await fetch(url, { method: 'POST', headers: passed, body, redirect: 'error' })
  const text = await response.text()
  if (response.ok && headers['x-signature-ed25519'] !== undefined) return discordAnswer(parsed(body))
  const retryAfter = response.headers.get('retry-after')
  return { status: response.status, text, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } }
}

/** Discord expects an answer to interactions. Their signature is valid, because Gatehouse has accepted them. */
function discordAnswer(interaction) {
  // An interaction has a token. Other webhooks of Discord expect no content.
  if (interaction?.token === undefined) return { status: 204, text: '', headers: {} }
  // PING (1) is answered with PONG (1), a command with “thinking” (5): the bot answers it with the token.
  return json({ type: interaction.type === 1 ? 1 : 5 })
}

async function bodyOf(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > bodyMaxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const server = createServer(async (request, response) => {
  let answer
  try {
    const { pathname: path, searchParams: query } = new URL(request.url, 'http://relay')
    const body = await bodyOf(request)
    const asked = { method: request.method, path, query, headers: request.headers, body }
    answer =
      body === undefined
        ? plain(413, 'The body has more than 1 MiB.\n')
        : (verificationOf(asked) ?? (await pass(asked)))
  } catch (error) {
    console.error(`webhook not passed on: ${error.cause?.code ?? error.message}`)
    answer = plain(503, 'Try again later.\n')
  }
  response.writeHead(answer.status, { 'x-content-type-options': 'nosniff', ...answer.headers })
  response.end(request.method === 'HEAD' ? undefined : answer.text)
})
server.listen(Number(PORT), () => console.log(`Relay at http://127.0.0.1:${server.address().port}`))
