import type { FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { schemeOf } from '../../../domain/webhooks/signature-scheme.ts'

/** The webhook that a sample sends. */
export interface SampleWebhook {
  /** The body, or the name of the file that contains it. */
  body: { text: string } | { file: string }
  headers: readonly (readonly [name: string, value: string])[]
}

/** The webhook in the samples on a flow's page. */
export const helloWebhook: SampleWebhook = {
  body: { text: '{"hello":"bot"}' },
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
  const options = headers.map(([name, value]) => `-H ${literal(`${name}: ${value}`)}`)
  if (requiresKey) options.push(`-H "svc-key: $GATEHOUSE_FLOW_KEY"`)
  const data = 'file' in body ? `--data-binary ${literal(`@${body.file}`)}` : `--data-raw ${literal(body.text)}`
  if (signature === null) return curl(address, [...options, data])
  const scheme = schemeOf(signature)
  if (scheme.method === 'ed25519') return undefined

  const { timestamp, header } = scheme
  const encoded = scheme.encoding === 'hex' ? "-hex | sed 's/^.* //'" : '-binary | openssl base64 -A'
  const before = scheme.before.replace('{timestamp}', '$TIMESTAMP')
  const signed = 'file' in body ? `{ printf %s "${before}"; cat ${literal(body.file)}; }` : `printf %s "${before}$BODY"`
  const value =
    'element' in scheme.signature
      ? `${scheme.signature.element}=$SIGNATURE`
      : `${quoted(scheme.signature.prefix)}$SIGNATURE`
  const inElement = timestamp !== undefined && 'element' in timestamp ? `${timestamp.element}=$TIMESTAMP,` : ''
  const inHeader = timestamp !== undefined && 'header' in timestamp ? [`-H "${timestamp.header}: $TIMESTAMP"`] : []
  return [
    ...('file' in body ? [] : [`BODY=${literal(body.text)}`]),
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
  return [`curl -X POST ${literal(address)}`, ...options].join(' \\\n  ')
}

/** Quotes text so that a shell takes it literally. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Escapes text for use in double quotes in a shell. */
function quoted(text: string): string {
  return text.replace(/["$`\\]/g, '\\$&')
}
