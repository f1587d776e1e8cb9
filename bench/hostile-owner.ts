import { connect } from 'node:net'
import { WebSocket } from 'ws'

/** What a hostile owner has: an account, a bot with a flow, a runtime key, and an application with failed requests. */
export interface HostileOwner {
  base: string
  api: string
  portal: string
  botId: string
  cookie: string
  formToken: string
  runtimeKey: string
  clientId: string
  applicationId: string
  /** The owner's client address, which a trusted proxy forwards. */
  address: string
}

/** Number of requests, frames or connections per attack so far. */
export type HostileCounts = Record<string, number>

const counts: HostileCounts = {}
const floodingSessions = 24
const copyStreams = 64
const unfinishedBodies = 130

process.on('message', (order: HostileOwner | 'end') => {
  if (order !== 'end') {
    attack(order)
    return
  }
  process.send?.(counts, () => process.exit())
})

/** Attacks in every way at once, until the process ends. */
function attack(owner: HostileOwner): void {
  const { base, api, portal, botId, cookie, formToken, clientId, applicationId, address } = owner
  const headers = { 'x-forwarded-for': address }
  const signedIn = { ...headers, cookie, origin: base }
  const post = (url: string, fields: Record<string, string>, more: Record<string, string> = headers) =>
    fetch(url, { method: 'POST', headers: more, body: new URLSearchParams(fields), redirect: 'manual' })
  const consent = new URLSearchParams({
    ...{ client_id: clientId, redirect_uri: 'https://hostile.example/', response_type: 'code' },
    ...{ scope: 'user.identify', state: 'x'.repeat(4_000) },
  })
  const guess = { grant_type: 'refresh_token', refresh_token: 'svc_rt_none', client_id: clientId }

  for (let n = 0; n < floodingSessions; n += 1) keepOpen('frames', () => floodFrames(owner))
  for (let n = 0; n < copyStreams; n += 1) keepOpen('streams of copies', () => openCopies(owner))
  for (let n = 0; n < unfinishedBodies; n += 1) keepOpen('unfinished bodies', () => sendUnfinished(owner))
  repeat('saves of an unchanged form', 4, () =>
    post(`${base}/account/name`, { form_token: formToken, name: 'Mallory' }, signedIn),
  )
  repeat('changes of a setting', 4, (n) => {
    const fields = { form_token: formToken, public: n % 2 === 0 ? 'yes' : 'no' }
    return post(`${base}/bots/${botId}/public-status`, fields, signedIn)
  })
  repeat('authorization attempts', 4, () => fetch(`${base}/auth/consent?${consent}`, { headers, redirect: 'manual' }))
  repeat('guesses at a client secret', 4, () =>
    post(`${base}/api/oauth/token`, { ...guess, client_secret: 'svc_cs_guess' }),
  )
  repeat('views of failed requests', 2, () => fetch(`${portal}/apps/${applicationId}/logs`, { headers: signedIn }))
  repeat('webhooks to invented bots', 4, (n) => fetch(`${api}/invented-${n}/hook`, { method: 'POST', headers }))
  repeat('webhooks to the own bot', 4, () =>
    fetch(`${api}/${botId}/hook`, { method: 'POST', headers, body: 'x'.repeat(100_000) }),
  )
}

/** Makes requests one after the other, on `atOnce` connections. */
function repeat(name: string, atOnce: number, request: (n: number) => Promise<Response>): void {
  const again = async () => {
    for (;;) {
      counts[name] = (counts[name] ?? 0) + 1
      await request(counts[name]).then(
        (answer) => answer.arrayBuffer(),
        () => pause(),
      )
    }
  }
  for (let n = 0; n < atOnce; n += 1) void again()
}

/** Opens a connection again and again, each time after the service has closed it. */
async function keepOpen(name: string, open: () => Promise<void>): Promise<void> {
  for (;;) {
    counts[name] = (counts[name] ?? 0) + 1
    await open()
    await pause()
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100))
}

function socketOf({ api, runtimeKey, address }: HostileOwner, protocol: string): WebSocket {
  const headers = { authorization: `Bearer ${runtimeKey}`, 'x-forwarded-for': address }
  return new WebSocket(`${api.replace('http', 'ws')}/runtime`, [protocol], { headers, perMessageDeflate: false })
}

function floodFrames(owner: HostileOwner): Promise<void> {
  const socket = socketOf(owner, 'gatehouse.runtime.v1')
  const frame = JSON.stringify({ type: 'later', padding: 'x'.repeat(1_900_000) })
  const ready = { type: 'ready', instance: Math.random().toString(36), agent: 'bench', credit: 1 }
  return new Promise((resolve) => {
    const send = () => socket.send(frame, (error) => error == null && setImmediate(send))
    socket.once('open', () => socket.send(JSON.stringify(ready), send))
    socket.on('error', () => {})
    socket.once('close', () => resolve())
  })
}

async function openCopies({ base, botId, runtimeKey, address }: HostileOwner): Promise<void> {
  const headers = { authorization: `Bearer ${runtimeKey}`, 'x-forwarded-for': address }
  const { body } = await fetch(`${base}/api/v1/bots/${botId}/copies`, { headers })
  await body?.pipeTo(new WritableStream()).catch(() => {})
}

/** Sends a webhook of 1 MiB except for its last byte. */
function sendUnfinished({ api, botId, address }: HostileOwner): Promise<void> {
  const { hostname, port } = new URL(api)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      const head = ['Host: bench', `X-Forwarded-For: ${address}`, 'Content-Length: 1048576'].join('\r\n')
      socket.write(`POST /${botId}/hook HTTP/1.1\r\n${head}\r\n\r\n${'x'.repeat(1_048_575)}`)
    })
    socket.on('error', () => {})
    socket.resume()
    socket.once('close', () => resolve())
  })
}
