import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import type { TestContext } from 'node:test'
import { makeRuntime, post as postWebhook, provisionListeningBot } from '../support/bot-runtime.ts'
import { advanceUntil } from '../support/eventually.ts'
import { type GatehouseProcess, startGatehouse } from '../support/gatehouse-process.ts'
import { serve } from '../support/local-server.ts'
import { openWorld } from '../support/world.ts'

export type Setting = Awaited<ReturnType<typeof openSetting>>

export async function openSetting(t: TestContext) {
  const world = await openWorld(t)
  const bot = await provisionListeningBot(world.service)
  const { key } = await makeRuntime(world, [bot.botId])
  return { world, bot, key }
}

/** Starts `gatehouse listen`: for copies if the first word is `copies`, otherwise with `--take`. */
export async function startListening(t: TestContext, { world, bot, key }: Setting, ...words: string[]) {
  const how = words[0] === 'copies' ? words.slice(1) : ['--take', ...words]
  const url = world.apiUrl.replace('http', 'ws')
  const listening = startGatehouse(t, ['listen', '--url', url, '--bot', bot.botId, ...how], {
    GATEHOUSE_RUNTIME_KEY: key,
  })
  await listening.waitForOutput('waiting for webhooks')
  return listening
}

export function post({ world, bot }: Setting, body: BodyInit, headers: Record<string, string> = {}) {
  return postWebhook(world, bot, body, { 'content-type': 'application/json', 'user-agent': 'shop/2', ...headers })
}

/** Waits for output of copies, which the service reads at intervals of its clock. */
export function copied(listening: GatehouseProcess, { world }: Setting, text: string): Promise<true> {
  return advanceUntil(world.clock, () => listening.stdout().includes(text))
}

/** Starts a local server that records the requests it receives. Its responses have these statuses, or the last one. */
export async function localServer(t: TestContext, ...statuses: [number, ...number[]]) {
  const received: { method: string | undefined; headers: IncomingHttpHeaders; body: string }[] = []
  const url = await serve(t, ({ method, headers }, response, body) => {
    received.push({ method, headers, body })
    response.writeHead(statuses[received.length - 1] ?? statuses.at(-1) ?? 500).end()
  })
  return { received, url: `${url}/hook` }
}

export async function assertCleanExit(listening: GatehouseProcess): Promise<void> {
  listening.signal('SIGINT')
  assert.equal(await listening.exited, 0)
}
