// For Cloudflare Workers, Deno and Bun. For a flow without a key, leave out `svc-key`.
const target = '{api_url}/{botId}/{path}'
const flowKey = 'svc_fk_…'
const verifyToken = 'the one that you enter at Meta'
const signatures = ['x-hub-signature-256', 'x-dropbox-signature', 'x-trello-webhook']

export default {
  async fetch(request) {
    const { method, headers, url } = request
    const query = new URL(url).searchParams
    if (query.has('hub.challenge') && query.get('hub.verify_token') !== verifyToken) {
      return new Response(null, { status: 403 })
    }
    const challenge = query.get('hub.challenge') ?? query.get('challenge') ?? query.get('validationToken')
    if (challenge !== null) {
      const plain = { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' }
      return new Response(challenge, { headers: plain })
    }
    const origin = headers.get('webhook-request-origin')
    if (method === 'OPTIONS' && origin !== null) {
      return new Response(null, { headers: { 'webhook-allowed-origin': origin } })
    }
    if (method !== 'POST') return new Response()
    const passed = ['content-type', ...signatures].filter((name) => headers.has(name))
    return fetch(target, {
      method: 'POST',
      body: await request.arrayBuffer(),
      headers: [['svc-key', flowKey], ...passed.map((name) => [name, headers.get(name)])],
    })
  },
}
