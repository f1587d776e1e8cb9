import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { connect as connectRuntime } from '../../clients/typescript/src/runtime.ts'
import { readBuild } from '../../src/commands/build.ts'
import { eventually } from './eventually.ts'
import { type Environment, freshEnvironment } from './gatehouse-process.ts'
import * as people from './people.ts'

export const operatorKey = 'an-operator-key-for-this-test-only-01'

/** Returns a {@link freshEnvironment} that includes this operator key. */
export async function operatedEnvironment(t: TestContext): Promise<Environment> {
  return { ...(await freshEnvironment(t)), OPERATOR_KEY: operatorKey }
}

/** The build as the service reports it. JSON omits the commit if it is unknown. */
export const release = JSON.parse(JSON.stringify(readBuild()))

/** What OAuth endpoints respond while the database is away. */
export const temporarilyUnavailable = {
  error: 'temporarily_unavailable',
  error_description: 'The service can not reach its data right now. Try again in a moment.',
}

/** Returns the URLs of the surfaces in this environment and the operator key. */
export function surfaceUrls(env: Record<string, string>): people.ServiceUrls & { apiUrl: string } {
  const { BASE_URL = '', API_URL = '', PORTAL_URL = '', CONTROL_URL = '' } = env
  return { baseUrl: BASE_URL, apiUrl: API_URL, portalUrl: PORTAL_URL, controlUrl: CONTROL_URL, operatorKey }
}

/** Several bots, because a single bot would hide bugs in how bots interact. */
export const botIds = ['greeter', 'lantern', 'beacon'] as const

/** Returns the URL for the nth webhook. Webhooks go to the bots in turn. */
export function webhookUrlOf(env: Record<string, string>, n: number): string {
  return `${env.API_URL}/${botIds[n % botIds.length]}/hooks`
}

/** Provisions a user, bots with one listening flow each, and a runtime for all bots. Returns the runtime's key. */
export async function provision(env: Record<string, string>, bots: readonly string[] = botIds): Promise<string> {
  const call = async (method: string, path: string, body: object) => {
    const { status, json } = await people.provision(surfaceUrls(env), method, path, body)
    assert.equal(status, 201, JSON.stringify(json))
    return json
  }
  await call('PUT', '/v1/users/ada', { name: 'Ada' })
  for (const [n, botId] of bots.entries()) {
    const chatPlatformId = String(100_000_000_000_000_000n + BigInt(n))
    await call('PUT', `/v1/bots/${botId}`, { ownerId: 'ada', name: botId, chatPlatformId, hostingEnabled: true })
    const webhook = { path: 'hooks', requiresKey: false }
    await call('PUT', `/v1/bots/${botId}/flows/orders`, { kind: 'event', name: 'Orders', webhook })
  }
  return (await call('POST', '/v1/runtimes', { name: 'one', botIds: '*' })).key
}

/** The test fails if a webhook isn't handled within this time. */
const handledWithinMs = 240_000

/** Uses the TypeScript client to host all bots, and records the webhooks that the handler receives. */
export class HandlingRuntime {
  /** Bodies of all handled webhooks, including duplicates. */
  readonly bodies: string[] = []

  constructor(t: TestContext, env: Record<string, string>, key: string, instance = 'one') {
    const runtime = connectRuntime({
      url: env.API_URL as string,
      key,
      instance,
      credit: 256,
      onWebhook: (event) => this.bodies.push(event.text()),
      onProblem: () => {},
    })
    t.after(() => runtime.leave({ withinMs: 0 }))
  }

  /** Resolves once all these webhooks are handled. */
  async has(accepted: Iterable<string>): Promise<void> {
    const missing = new Set(accepted)
    let seen = 0
    const look = () => {
      for (; seen < this.bodies.length; seen += 1) missing.delete(this.bodies[seen] as string)
      return missing.size === 0 || undefined
    }
    await eventually(look, handledWithinMs).catch(() =>
      assert.fail(`${missing.size} webhooks were accepted and not handled: ${[...missing].slice(0, 10)}`),
    )
  }
}

/** Sends webhooks, each with a body of its own, and records which were sent and which were accepted. */
export class WebhookLedger {
  readonly sent = new Set<string>()
  readonly accepted = new Set<string>()

  /** Sends the next webhook, with a body of at least `bytes`. Resolves with `undefined` if there is no response. */
  async send(env: Record<string, string>, bytes = 0) {
    const n = this.sent.size
    const body = `event ${n} `.padEnd(bytes, 'x')
    this.sent.add(body)
    const answer = await fetch(webhookUrlOf(env, n), { method: 'POST', body }).catch(() => undefined)
    if (answer === undefined) return undefined
    if (answer.status === 202) this.accepted.add(body)
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() }
  }

  /** Hosts all bots, and asserts that each of these accepted webhooks is handled as {@link assertHandled} says. */
  async assertReceived(
    t: TestContext,
    env: Record<string, string>,
    key: string,
    accepted: ReadonlySet<string> = this.accepted,
  ): Promise<void> {
    const runtime = new HandlingRuntime(t, env, key)
    await runtime.has(accepted)
    this.assertHandled(runtime.bodies, accepted)
  }

  /** Asserts that each accepted webhook was handled, none twice, and no other than those sent. */
  assertHandled(handled: readonly string[], accepted: ReadonlySet<string> = this.accepted): void {
    const bodies = new Set(handled)
    assert.deepEqual([...accepted.difference(bodies)], [], 'accepted and not handled')
    assert.deepEqual([...bodies.difference(this.sent)], [], 'handled and never sent')
    assert.equal(handled.length, bodies.size, 'handled twice')
  }
}
