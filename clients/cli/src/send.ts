import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { exitCodes, failed, misconfigured, reasonOf } from '../../../src/commands/start-fault.ts'
import { schemeOf, signedHeaders } from '../../../src/domain/webhooks/signature-scheme.ts'
import type { SendOptions, Signing } from './command-line.ts'
import { printable, printableLine } from './printable.ts'
import { type Answer, request } from './request.ts'

/**
 * `gatehouse send`: posts one webhook and prints the response. Resolves with exit code 0 if the gateway accepted it.
 *
 * @throws StartFault if the body can't be read, a secret is missing, or no response arrives.
 */
export async function send({ url, data, headers, signing }: SendOptions, version: string): Promise<number> {
  const nowMs = Date.now()
  const sample = sampleOf(signing?.preset, nowMs)
  const body = data === undefined ? Buffer.from(sample.body) : await bodyOf(data)
  const sent = new Headers({ 'content-type': mediaTypeOf(body), 'user-agent': `gatehouse-cli/${version}` })
  const set = (name: string, value: string) => {
    try {
      sent.set(name, value)
    } catch {
      // The error's own message contains the value, which may be a secret.
      const why = 'its name or value has characters that headers never have, such as line breaks'
      throw misconfigured(`the header ${JSON.stringify(name)} can't be sent: ${why}`)
    }
  }
  if (data === undefined) for (const [name, value] of Object.entries(sample.headers)) set(name, value)
  if (process.env.GATEHOUSE_FLOW_KEY) set('svc-key', process.env.GATEHOUSE_FLOW_KEY)
  if (signing !== undefined) {
    const signed = signedHeaders(schemeOf(signing), signingSecret(signing), body, nowMs)
    for (const [name, value] of Object.entries(signed)) set(name, value)
  }
  for (const line of headers) set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim())

  process.stderr.write(
    `POST ${url} (${body.length} bytes, ${sent.get('content-type')}${signing === undefined ? '' : `, signed as ${signing.preset}`})\n`,
  )
  // Don't follow redirects: the request would become a GET without the body.
  const answer = await request(url, { method: 'POST', body, headers: sent, redirect: 'manual' })
  const { status, statusText, tookMs } = answer
  process.stdout.write(`${printableLine(`${status} ${statusText}`)} after ${Math.round(tookMs)} ms\n`)
  if (answer.body !== '') process.stdout.write(`${printable(answer.body.trimEnd())}\n`)
  const accepted = status >= 200 && status < 300
  const hint = accepted ? undefined : whatToDo(answer)
  if (hint !== undefined) process.stderr.write(`${hint}\n`)
  return accepted ? exitCodes.ok : exitCodes.failed
}

async function bodyOf(data: string): Promise<Buffer<ArrayBuffer>> {
  if (!data.startsWith('@')) return Buffer.from(data)
  const file = data.slice(1)
  try {
    return Buffer.from(file === '-' ? await buffer(process.stdin) : await readFile(file))
  } catch (error) {
    throw failed(`--data can't be read: ${reasonOf(error)}`, error)
  }
}

function mediaTypeOf(body: Buffer): string {
  if (!isUtf8(body)) return 'application/octet-stream'
  try {
    JSON.parse(new TextDecoder().decode(body))
    return 'application/json'
  } catch {
    return 'text/plain; charset=utf-8'
  }
}

function signingSecret({ preset }: Signing): string {
  const secret = process.env.GATEHOUSE_SIGNING_SECRET
  if (secret) return secret
  throw misconfigured(
    `GATEHOUSE_SIGNING_SECRET is missing; --sign ${preset} needs it, with the signing secret of the flow`,
  )
}

function whatToDo({ status, headers }: Answer): string | undefined {
  switch (status) {
    case 301:
    case 302:
    case 307:
    case 308:
      return `The URL redirects to ${printableLine(headers.get('location') ?? 'another one')}; send to that one.`
    case 401:
      return (
        'The key or signature is missing or wrong. Set GATEHOUSE_FLOW_KEY to the flow’s key; if the flow checks ' +
        'signatures, add --sign and set GATEHOUSE_SIGNING_SECRET.'
      )
    case 404:
      return 'No bot listens at this URL. Copy the webhook URL from the flow’s page.'
    case 413:
      return 'The gateway accepts at most 1 MiB.'
    case 503:
      return `The gateway can’t store it now. Send it again in ${printableLine(headers.get('retry-after') ?? 'a few')} seconds.`
    default:
      return undefined
  }
}

interface Sample {
  body: string
  headers: Readonly<Record<string, string>>
}

/**
 * Returns a webhook like those that the preset's sender sends. Each call creates a new ID, at the place where that
 * sender puts it, so that a flow with deduplication doesn't drop the sample.
 */
function sampleOf(preset: Signing['preset'] | undefined, nowMs: number): Sample {
  const id = randomUUID()
  const json = (body: object): string => JSON.stringify(body)
  switch (preset) {
    case 'github':
      return {
        body: json({ zen: 'Keep it logically awesome.', hook_id: 1 }),
        headers: { 'x-github-event': 'ping', 'x-github-delivery': id },
      }
    case 'stripe':
      return {
        body: json({ id: `evt_${id}`, object: 'event', type: 'sample', created: Math.floor(nowMs / 1_000) }),
        headers: {},
      }
    case 'slack':
      return { body: json({ type: 'event_callback', event_id: id, event: { type: 'sample' } }), headers: {} }
    case 'shopify':
      return { body: json({ id: 1 }), headers: { 'x-shopify-topic': 'sample/create', 'x-shopify-webhook-id': id } }
    default:
      return {
        body: json({ id, type: 'sample', text: 'Hello from gatehouse send', sentAt: new Date(nowMs).toISOString() }),
        headers: {},
      }
  }
}
