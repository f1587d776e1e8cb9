import type { FlowWebhook } from '../../../domain/bots/flows/flow.ts'

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
