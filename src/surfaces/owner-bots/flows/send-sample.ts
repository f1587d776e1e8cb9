import type { FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { schemeOf } from '../../../domain/webhooks/signature-scheme.ts'

const body = '{"hello":"bot"}'

/**
 * Returns shell commands that send a webhook that this flow accepts. Returns `undefined` for Discord, because only
 * Discord has the private key.
 */
export function sendSample(address: string, { requiresKey, signature }: FlowWebhook): string | undefined {
  const key = requiresKey ? [`-H "svc-key: $FLOW_KEY"`] : []
  if (signature === null) return curl(address, [...key, `-d '${body}'`])
  const scheme = schemeOf(signature)
  if (scheme.method === 'ed25519') return undefined

  const { timestamp, header } = scheme
  const encoded = scheme.encoding === 'hex' ? "-hex | sed 's/^.* //'" : '-binary | openssl base64 -A'
  const signed = `${scheme.before.replace('{timestamp}', '$TIMESTAMP')}$BODY`
  const value =
    'element' in scheme.signature
      ? `${scheme.signature.element}=$SIGNATURE`
      : `${quoted(scheme.signature.prefix)}$SIGNATURE`
  const inElement = timestamp !== undefined && 'element' in timestamp ? `${timestamp.element}=$TIMESTAMP,` : ''
  const inHeader = timestamp !== undefined && 'header' in timestamp ? [`-H "${timestamp.header}: $TIMESTAMP"`] : []
  return [
    `BODY='${body}'`,
    ...(timestamp === undefined ? [] : ['TIMESTAMP=$(date +%s)']),
    `SIGNATURE=$(printf %s "${signed}" | openssl dgst -${scheme.method} -hmac "$SIGNING_SECRET" ${encoded})`,
    curl(address, [...key, ...inHeader, `-H "${header}: ${inElement}${value}"`, '-d "$BODY"']),
  ].join('\n')
}

function curl(address: string, options: readonly string[]): string {
  return [`curl -X POST '${address}'`, "-H 'content-type: application/json'", ...options].join(' \\\n  ')
}

/** Escapes text for use in double quotes in a shell. */
function quoted(text: string): string {
  return text.replace(/["$`\\]/g, '\\$&')
}
