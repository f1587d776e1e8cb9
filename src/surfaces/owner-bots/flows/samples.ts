import type { FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { type SignatureScheme, schemeOf } from '../../../domain/webhooks/signature-scheme.ts'

interface SampleWebhook {
  /** The body, or the name of the file that contains it. */
  body: { text: string } | { file: string }
  /** One character per byte, as Node reads them. `undefined` keeps curl from sending a header of its own. */
  headers: readonly (readonly [name: string, value: string | undefined])[]
}

const helloBody = '{"hello":"bot"}'

const helloWebhook: SampleWebhook = { body: { text: helloBody }, headers: [['content-type', 'application/json']] }

export function webhookAddress(apiUrl: string, botId: string, path: string): string {
  return `${apiUrl}/${botId}/${path}`
}

/** Returns commands that send a webhook this flow accepts; `undefined` for Discord, which alone has the private key. */
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

  if (scheme.method === 'token') {
    const token = `-H "${scheme.header}: $GATEHOUSE_SIGNING_SECRET"`
    return curl(address, [...options, token, data])
  }

  const { timestampHeader, timestampPart, idHeader, header, prefix } = scheme
  const encoded = scheme.encoding === 'hex' ? "-hex | sed 's/^.* //'" : '-binary | openssl base64 -A'
  const [before, after] = shellTemplate(scheme.signed).split('$BODY') as [string, string]
  const rest = after === '' ? '' : ` printf %s "${after}";`
  const signed =
    'file' in body
      ? `{ printf %s "${before}"; cat ${shellLiteral(body.file)};${rest} }`
      : `printf %s "${before}${/^\w/.test(after) ? '$' + '{BODY}' : '$BODY'}${after}"`
  const inHeader = timestampPart === undefined ? '' : `${timestampPart}=$TIMESTAMP,`
  return [
    ...('file' in body ? [] : [`BODY=${shellLiteral(body.text)}`]),
    ...(hasTimestamp(scheme) ? ['TIMESTAMP=$(date +%s)'] : []),
    ...(idHeader === undefined ? [] : ['ID=msg_$(openssl rand -hex 16)']),
    ...(scheme.secret === 'whsec'
      ? [
          `KEY=$(printf %s "\${GATEHOUSE_SIGNING_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`,
        ]
      : []),
    `SIGNATURE=$(${signed} | openssl dgst -${scheme.method} ${scheme.secret === 'whsec' ? '-mac HMAC -macopt "hexkey:$KEY"' : '-hmac "$GATEHOUSE_SIGNING_SECRET"'} ${encoded})`,
    curl(address, [
      ...options,
      ...(idHeader === undefined ? [] : [`-H "${idHeader}: $ID"`]),
      ...(timestampHeader === undefined ? [] : [`-H "${timestampHeader}: $TIMESTAMP"`]),
      `-H "${header}: ${inHeader}${inDoubleQuotes(prefix)}$SIGNATURE"`,
      'file' in body ? data : '--data-raw "$BODY"',
    ]),
  ].join('\n')
}

function hasTimestamp({ signed }: SignatureScheme): boolean {
  return signed.includes('{timestamp}')
}

/** Returns the signed text for use in double quotes, with shell variables in place of the placeholders. */
function shellTemplate(signed: string): string {
  return inDoubleQuotes(signed).replace(/\{(body|timestamp|id)\}(?=(\w?))/g, (_, name: string, next: string) => {
    const variable = name.toUpperCase()
    return next === '' || name === 'body' ? `$${variable}` : `\${${variable}}`
  })
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

/** Returns a Node program that sends a webhook which this flow accepts. Not for Discord's signatures. */
export function nodeSample(address: string, webhook: FlowWebhook): string {
  const scheme = webhook.signature === null ? undefined : schemeOf(webhook.signature)
  const headers = headersOf(webhook, scheme, ['env.GATEHOUSE_FLOW_KEY', 'env.GATEHOUSE_SIGNING_SECRET'])
  const key =
    scheme?.secret === 'whsec'
      ? "Buffer.from(env.GATEHOUSE_SIGNING_SECRET.replace('whsec_', ''), 'base64')"
      : 'env.GATEHOUSE_SIGNING_SECRET'
  const signing = scheme &&
    scheme.method !== 'token' && [
      ...(hasTimestamp(scheme) ? [`const timestamp = String(${unixSeconds})`] : []),
      ...(scheme.idHeader === undefined ? [] : ["const id = 'msg_' + randomUUID()"]),
      `const signature = createHmac(${quoted(scheme.method)}, ${key})`,
      `  .update(${signedText(scheme)})`,
      `  .digest(${quoted(scheme.encoding)})`,
    ]
  const fromCrypto = scheme?.idHeader === undefined ? 'createHmac' : 'createHmac, randomUUID'
  return [
    ...(signing ? [`import { ${fromCrypto} } from 'node:crypto'`] : []),
    ...(scheme || webhook.requiresKey ? ["import { env } from 'node:process'", ''] : []),
    `const body = ${quoted(helloBody)}`,
    ...(signing || []),
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
export function pythonSample(address: string, webhook: FlowWebhook): string {
  const scheme = webhook.signature === null ? undefined : schemeOf(webhook.signature)
  const secret = 'os.environ["GATEHOUSE_SIGNING_SECRET"]'
  const headers = headersOf(webhook, scheme, ['os.environ["GATEHOUSE_FLOW_KEY"]', secret])
  const key = scheme?.secret === 'whsec' ? `base64.b64decode(${secret}.replace("whsec_", ""))` : `${secret}.encode()`
  const digest = scheme?.encoding === 'hex' ? 'digest.hex()' : 'base64.b64encode(digest).decode()'
  const signing = scheme &&
    scheme.method !== 'token' && [
      ...(hasTimestamp(scheme) ? ['timestamp = str(int(time.time()))'] : []),
      ...(scheme.idHeader === undefined ? [] : ["id = 'msg_' + uuid.uuid4().hex"]),
      `signed = (${signedText(scheme)}).encode()`,
      `digest = hmac.new(${key}, signed, ${quoted(scheme.method)}).digest()`,
      `signature = ${digest}`,
    ]
  const modules = [
    ...(scheme?.encoding === 'base64' ? ['base64'] : []),
    ...(signing ? ['hmac'] : []),
    ...(scheme || webhook.requiresKey ? ['os'] : []),
    ...(scheme && hasTimestamp(scheme) ? ['time'] : []),
    'urllib.request',
    ...(scheme?.idHeader === undefined ? [] : ['uuid']),
  ]
  return [
    ...modules.map((module) => `import ${module}`),
    '',
    `body = ${quoted(helloBody)}`,
    ...(signing || []),
    `request = urllib.request.Request(${quoted(address)}, data=body.encode(), headers={`,
    ...headers.map(([name, value]) => `    ${quoted(name)}: ${value},`),
    '})',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ].join('\n')
}

function headersOf(
  { requiresKey }: FlowWebhook,
  scheme: SignatureScheme | undefined,
  [key, secret]: readonly [key: string, secret: string],
): Header[] {
  const headers: Header[] = [['content-type', quoted('application/json')]]
  if (requiresKey) headers.push(['svc-key', key])
  if (scheme === undefined) return headers
  const { header, prefix, timestampHeader, timestampPart, idHeader } = scheme
  if (scheme.method === 'token') return [...headers, [header, secret]]
  const parts =
    timestampPart === undefined
      ? [quoted(prefix), 'signature']
      : [quoted(`${timestampPart}=`), 'timestamp', quoted(`,${prefix}`), 'signature']
  if (idHeader !== undefined) headers.push([idHeader, 'id'])
  if (timestampHeader !== undefined) headers.push([timestampHeader, 'timestamp'])
  headers.push([header, parts.filter((part) => part !== quoted('')).join(' + ')])
  return headers
}

function signedText({ signed }: SignatureScheme): string {
  const parts = signed.split(/\{(body|timestamp|id)\}/).map((part, at) => (at % 2 === 1 ? part : quoted(part)))
  return parts.filter((part) => part !== quoted('')).join(' + ')
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
 * Returns a relay for Cloudflare Workers, Deno and Bun: responds to the sender's handshake, and forwards everything
 * else with its signature, which the gateway checks.
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
