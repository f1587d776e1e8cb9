import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { WebSocket } from 'ws'
import { PasskeyPage } from '../support/passkeys.ts'
import {
  ada,
  type Browser,
  type Client,
  codeFor,
  makeToken,
  provision,
  redeem,
  type ServiceUrls,
  send,
  shown,
} from '../support/people.ts'
import type { KeptPasskey } from '../support/software-authenticator.ts'
import type { World } from '../support/world.ts'

/** What a service can keep since the first data was written, with secrets in plaintext. */
export interface Later {
  operatorKey: string
  personalToken: string
  passkey: KeptPasskey
  /** The application's second client secret. */
  clientSecret: string
  /** An authorization code that was not redeemed. */
  code: string
  refreshToken: string
  /** The key of a runtime that belongs to Ada. */
  runtimeKey: string
  /** A flow's previous key, which works for 24 hours. */
  previousFlowKey: string
  recoveryLink: string
  invitationLink: string
  signingSecret: string
  /** Secret with which events are signed for Ada's subscription. */
  subscriptionSecret: string
}

export const laterPaths = [
  '/v1/users/mallory',
  '/v1/applications/locked',
  '/v1/bots/watcher',
  '/v1/bots/watcher/flows/signed',
  '/v1/bots/watcher/flows/line',
  '/v1/subscriptions/hooks',
]

/** Fills what {@link Later} names, with a bot of its own whose hosting is off, so that its webhooks wait. */
export async function fillLater(
  urls: ServiceUrls & { apiUrl: string },
  browser: Browser,
  client: Client,
): Promise<Later> {
  const world = urls as World
  const call = async (method: string, path: string, body: object = {}) => {
    const answer = await provision(world, method, `/v1/${path}`, body)
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.json)}`)
    return answer.json
  }
  const submit = async (path: string, fields: Record<string, string | string[]>) => {
    const answer = await send(browser, world, path, fields)
    assert.ok(answer.status < 400, `${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  await call('PUT', 'users/mallory', { name: 'Mallory', email: 'mallory@example.com', password: ada.password })
  await call('POST', 'users/mallory/disable')
  const locked = { name: 'Locked', websiteUrl: 'https://locked.example', redirectUris: ['https://locked.example/cb'] }
  await call('PUT', 'applications/locked', { ownerId: ada.id, ...locked })
  await call('POST', 'applications/locked/disable')
  const watcher = { ownerId: ada.id, name: 'Watcher', chatPlatformId: '523456789012345678', hostingEnabled: false }
  await call('PUT', 'bots/watcher', { ...watcher, publicStatus: true })
  const signature = { preset: 'github', secret: 'hush-hush' }
  const dedupe = { header: 'X-GitHub-Delivery', windowSeconds: 86_400 }
  const flow = (id: string, webhook: object) =>
    call('PUT', `bots/watcher/flows/${id}`, { kind: 'event', name: id, webhook: { path: id, ...webhook } })
  await flow('signed', { requiresKey: false, signature, dedupe })
  await flow('line', { requiresKey: false, ordered: true })
  const keyed = await flow('keyed', { requiresKey: true })
  await submit('/bots/watcher/flows/keyed/key', { key_before: 'ends-in-24-hours' })
  const subscription = { ownerId: ada.id, url: 'https://hooks.example/x', types: ['delivery.dead'] }
  const { secret: subscriptionSecret } = await call('PUT', 'subscriptions/hooks', subscription)
  const { key: operatorKey } = await call('POST', 'operator-keys', { name: 'reader', access: 'read' })
  const { url: recoveryLink } = await call('POST', 'users/grace/recovery')

  const post = async (path: string, body: string, headers: Record<string, string>, status = 202) =>
    assert.equal((await fetch(`${world.apiUrl}/watcher/${path}`, { method: 'POST', body, headers })).status, status)
  await post('signed', 'signed', signed('signed', 'hush-hush'))
  await post('signed', 'forged', signed('forged', 'wrong'), 401)
  for (const body of ['first', 'second']) await post('line', body, { 'x-request-id': body })
  await submit('/bots/watcher/flows/line/test', { body: 'a test' })
  await submit('/bots/watcher/notice', { notice: 'Moves on Sunday' })

  const made = await submit('/bots/watcher/runtimes', { name: 'Attic', hosts: 'this' })
  const runtimeKey = shown(made, 'runtime-key')
  await connectOnce(world, runtimeKey)
  const invited = await submit('/bots/watcher/invitations', { label: 'Grace', role: 'editor', capability: 'keys' })
  const passkey = await (await PasskeyPage.open(world, browser, '/account/passkeys')).register('Key')
  const personalToken = await makeToken(browser, world, {
    name: 'Deploy',
    scope: ['bots.read'],
    password: ada.password,
  })

  await browser.visit(`${world.portalUrl}/apps/acme`, world)
  const secrets = await browser.get(`${world.portalUrl}/apps/acme/secrets`)
  const added = await browser.submit(secrets, { label: 'Second server' }, '/secrets')
  await redeem(world, client, 'svc_ac_none')
  const tokens = await redeem(world, client, await codeFor(world, browser, client))
  return {
    operatorKey,
    personalToken,
    passkey: passkey.keep(),
    clientSecret: /svc_cs_\w+/.exec(added.text)?.[0] ?? '',
    refreshToken: tokens.json.refresh_token,
    runtimeKey,
    previousFlowKey: keyed.webhook.key,
    recoveryLink,
    invitationLink: shown(invited, 'invitation-link'),
    signingSecret: signature.secret,
    subscriptionSecret,
    code: await codeFor(world, browser, client),
  }
}

/** Returns the headers with which GitHub would send this body, with the body as its ID. */
export function signed(body: string, secret: string): Record<string, string> {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  return { 'x-hub-signature-256': signature, 'x-github-delivery': body }
}

async function connectOnce({ apiUrl }: World, key: string): Promise<void> {
  const socket = new WebSocket(`${apiUrl.replace('http', 'ws')}/runtime`, 'gatehouse.runtime.v1', {
    headers: { authorization: `Bearer ${key}` },
  })
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.on('message', (data) => {
      const { type } = JSON.parse(String(data)) as { type: string }
      if (type === 'hello')
        socket.send(JSON.stringify({ type: 'ready', instance: 'cellar', agent: 'fill/1', credit: 1 }))
      if (type !== 'welcome') return
      socket.send(JSON.stringify({ type: 'bye' }))
      socket.close()
    })
  })
}
