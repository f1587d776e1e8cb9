import type { FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { type SignatureScheme, schemeOf } from '../../../domain/webhooks/signature-scheme.ts'

const body = '{"hello":"bot"}'
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
    `const body = ${quoted(body)}`,
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
    `body = ${quoted(body)}`,
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
