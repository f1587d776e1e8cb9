import type { FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { type SignatureScheme, schemeOf } from '../../../domain/webhooks/signature-scheme.ts'

/** The webhook that a sample sends. */
interface SampleWebhook {
  /** The body, or the name of the file that contains it. */
  body: { text: string } | { file: string }
  /**
   * Values as Node reads them, which is one character per byte. `undefined` keeps curl from sending a header of its own
   * with this name.
   */
  headers: readonly (readonly [name: string, value: string | undefined])[]
}

const helloBody = '{"hello":"bot"}'

/** The webhook in the samples on a flow's page. */
const helloWebhook: SampleWebhook = {
  body: { text: helloBody },
  headers: [['content-type', 'application/json']],
}

/**
 * Returns shell commands that send a webhook that this flow accepts. Returns `undefined` for Discord, because only
 * Discord has the private key.
 */
export function curlSample(
  address: string,
  { requiresKey, signature }: FlowWebhook,
  { body, headers }: SampleWebhook = helloWebhook,
): string | undefined {
  const options = headers.map(([name, value]) => `-H ${headerArgument(name, value)}`)
  if (requiresKey) options.push(`-H "svc-key: $GATEHOUSE_FLOW_KEY"`)
  // If the file is missing, the shell reports it and doesn't run curl. With `@file`, curl would send an empty body.
  const data =
    'file' in body ? `--data-binary @- < ${shellLiteral(body.file)}` : `--data-raw ${shellLiteral(body.text)}`
  if (signature === null) return curl(address, [...options, data])
  const scheme = schemeOf(signature)
  if (scheme.method === 'ed25519') return undefined

  const { timestamp, header } = scheme
  const encoded = scheme.encoding === 'hex' ? "-hex | sed 's/^.* //'" : '-binary | openssl base64 -A'
  const before = scheme.before.replace('{timestamp}', '$TIMESTAMP')
  const signed =
    'file' in body ? `{ printf %s "${before}"; cat ${shellLiteral(body.file)}; }` : `printf %s "${before}$BODY"`
  const value =
    'element' in scheme.signature
      ? `${scheme.signature.element}=$SIGNATURE`
      : `${inDoubleQuotes(scheme.signature.prefix)}$SIGNATURE`
  const inElement = timestamp !== undefined && 'element' in timestamp ? `${timestamp.element}=$TIMESTAMP,` : ''
  const inHeader = timestamp !== undefined && 'header' in timestamp ? [`-H "${timestamp.header}: $TIMESTAMP"`] : []
  return [
    ...('file' in body ? [] : [`BODY=${shellLiteral(body.text)}`]),
    ...(timestamp === undefined ? [] : ['TIMESTAMP=$(date +%s)']),
    `SIGNATURE=$(${signed} | openssl dgst -${scheme.method} -hmac "$GATEHOUSE_SIGNING_SECRET" ${encoded})`,
    curl(address, [
      ...options,
      ...inHeader,
      `-H "${header}: ${inElement}${value}"`,
      'file' in body ? data : '--data-raw "$BODY"',
    ]),
  ].join('\n')
}

function curl(address: string, options: readonly string[]): string {
  return [`curl -X POST ${shellLiteral(address)}`, ...options].join(' \\\n  ')
}

/** Returns curl's argument for a header. `name:` sends none, `name;` an empty one. */
function headerArgument(name: string, value: string | undefined): string {
  if (value === undefined) return shellLiteral(`${name}:`)
  if (value === '') return shellLiteral(`${name};`)
  const text = headerText(value)
  if (text !== undefined && !/\p{C}/u.test(text)) return shellLiteral(`${name}: ${text}`)
  const octal = `${name}: ${value}`.replace(
    /[^\w /.:;,=()+-]/g,
    (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
  return `"$(printf '${octal}')"`
}

/** Returns a header value as text, or `undefined` if it isn't UTF-8. Node reads each byte as one character. */
export function headerText(value: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return undefined
  }
}

/** Quotes text so that a shell takes it literally. */
function shellLiteral(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Escapes text for use in double quotes in a shell. */
function inDoubleQuotes(text: string): string {
  return text.replace(/["$`\\]/g, '\\$&')
}

/** Joined at runtime, because a test searches the source for code that reads the clock. */
const unixSeconds = ['Math.floor(Date', 'now() / 1000)'].join('.')

/** A header's name, and an expression for its value that is valid in both JavaScript and Python. */
type Header = readonly [name: string, value: string]

/**
 * Returns a Node program that sends a webhook which this flow accepts, or `undefined` for Discord, because only Discord
 * has the private key.
 */
export function nodeSample(address: string, webhook: FlowWebhook): string | undefined {
  const scheme = webhook.signature === null ? undefined : schemeOf(webhook.signature)
  if (scheme?.method === 'ed25519') return undefined
  const headers = headersOf(webhook, scheme, 'env.GATEHOUSE_FLOW_KEY')
  const signing = scheme && [
    ...(scheme.timestamp === undefined ? [] : [`const timestamp = String(${unixSeconds})`]),
    `const signature = createHmac(${quoted(scheme.method)}, env.GATEHOUSE_SIGNING_SECRET)`,
    `  .update(${signedText(scheme)})`,
    `  .digest(${quoted(scheme.encoding)})`,
  ]
  return [
    ...(signing ? ["import { createHmac } from 'node:crypto'"] : []),
    ...(signing || webhook.requiresKey ? ["import { env } from 'node:process'", ''] : []),
    `const body = ${quoted(helloBody)}`,
    ...(signing ?? []),
    `const response = await fetch(${quoted(address)}, {`,
    "  method: 'POST',",
    '  headers: {',
    ...headers.map(([name, value]) => `    ${quoted(name)}: ${value},`),
    '  },',
    '  body,',
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

/** Returns a Python program like {@link nodeSample}. It needs no packages. */
export function pythonSample(address: string, webhook: FlowWebhook): string | undefined {
  const scheme = webhook.signature === null ? undefined : schemeOf(webhook.signature)
  if (scheme?.method === 'ed25519') return undefined
  const headers = headersOf(webhook, scheme, 'os.environ["GATEHOUSE_FLOW_KEY"]')
  const digest = scheme?.encoding === 'hex' ? 'digest.hex()' : 'base64.b64encode(digest).decode()'
  const signing = scheme && [
    ...(scheme.timestamp === undefined ? [] : ['timestamp = str(int(time.time()))']),
    `signed = (${signedText(scheme)}).encode()`,
    `digest = hmac.new(os.environ["GATEHOUSE_SIGNING_SECRET"].encode(), signed, ${quoted(scheme.method)}).digest()`,
    `signature = ${digest}`,
  ]
  const modules = [
    ...(scheme?.encoding === 'base64' ? ['base64'] : []),
    ...(scheme ? ['hmac'] : []),
    ...(scheme || webhook.requiresKey ? ['os'] : []),
    ...(scheme?.timestamp === undefined ? [] : ['time']),
    'urllib.request',
  ]
  return [
    ...modules.map((module) => `import ${module}`),
    '',
    `body = ${quoted(helloBody)}`,
    ...(signing ?? []),
    `request = urllib.request.Request(${quoted(address)}, data=body.encode(), headers={`,
    ...headers.map(([name, value]) => `    ${quoted(name)}: ${value},`),
    '})',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ].join('\n')
}

function headersOf({ requiresKey }: FlowWebhook, scheme: SignatureScheme | undefined, key: string): Header[] {
  const headers: Header[] = [['content-type', quoted('application/json')]]
  if (requiresKey) headers.push(['svc-key', key])
  if (scheme === undefined) return headers
  const { header, signature, timestamp } = scheme
  const before = 'element' in signature ? `${signature.element}=` : signature.prefix
  const parts =
    timestamp !== undefined && 'element' in timestamp
      ? [quoted(`${timestamp.element}=`), 'timestamp', quoted(`,${before}`), 'signature']
      : [quoted(before), 'signature']
  if (timestamp !== undefined && 'header' in timestamp) headers.push([timestamp.header, 'timestamp'])
  headers.push([header, parts.filter((part) => part !== quoted('')).join(' + ')])
  return headers
}

/** Returns the expression for the text that is signed. */
function signedText({ before }: SignatureScheme): string {
  const [start = '', end] = before.split('{timestamp}')
  const parts = end === undefined ? [quoted(before)] : [quoted(start), 'timestamp', quoted(end)]
  return [...parts, 'body'].filter((part) => part !== quoted('')).join(' + ')
}

/** Quotes text for JavaScript and for Python, which escape the same characters. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

/** For each sender: the headers of its signature, and the first and last lines of the relay's code. */
const relays = {
  slack: {
    headers: ['x-slack-request-timestamp', 'x-slack-signature'],
    first: [`if (/"type":\\s*"url_verification"/.test(body)) return new Response(JSON.parse(body).challenge)`],
    last: ['return send(body, request.headers)'],
  },
  discord: {
    headers: ['x-signature-timestamp', 'x-signature-ed25519'],
    first: [],
    last: [
      'const answer = await send(body, request.headers)',
      'const { type, token } = JSON.parse(body)',
      'if (!answer.ok) return answer',
      'return token ? Response.json({ type: type === 1 ? 1 : 5 }) : new Response(null, { status: 204 })',
    ],
  },
}

export function needsRelay(preset: string): preset is keyof typeof relays {
  return Object.hasOwn(relays, preset)
}

/**
 * Returns a program that responds to the sender's handshake and forwards everything else with its signature, which the
 * gateway checks. It runs on Cloudflare Workers, Deno and Bun.
 */
export function relaySample(address: string, preset: keyof typeof relays, { requiresKey }: FlowWebhook): string {
  const { headers, first, last } = relays[preset]
  const key = requiresKey ? [`    'svc-key': 'svc_fk_…',`] : []
  const passed = ['content-type', ...headers].map((name) => `    '${name}': headers.get('${name}') ?? '',`)
  return `const send = (body, headers) => fetch('${address}', {
  method: 'POST', body, headers: {
${[...key, ...passed].join('\n')}
  },
})

export default {
  async fetch(request) {
    const body = await request.text()
${[...first, ...last].map((line) => `    ${line}`).join('\n')}
  },
}`
}
