import type { TestContext } from 'node:test'
import { type ListeningBot, provisionListeningBot } from '../support/bot-runtime.ts'
import type { RawAnswer } from '../support/raw-http.ts'
import { openWorld, storageOfRun, type World } from '../support/world.ts'

export interface Setting {
  world: World
  /** A bot whose flow requires no key. */
  open: ListeningBot
  /** A bot whose flow requires a key. */
  keyed: ListeningBot
}

/** Opens a world with two bots that listen for webhooks. One of them requires a key. */
export async function openSetting(t: TestContext, env: Record<string, string> = {}): Promise<Setting> {
  const world = await openWorld(t, env)
  const open = await provisionListeningBot(world.service)
  const keyed = await provisionListeningBot(world.service, { botId: 'guard', requiresKey: true })
  return { world, open, keyed }
}

export const post = (
  body: string | Uint8Array<ArrayBuffer> = '',
  headers: Record<string, string> = {},
): RequestInit => ({ method: 'POST', body, headers })

export interface Received {
  status: number
  type: string | null
  body: string
}

export async function ask(world: World, address: string, init: RequestInit = {}): Promise<Received> {
  const answer = await fetch(`${world.apiUrl}${address}`, init)
  return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
}

/** Returns the request line and headers of a webhook. */
export function requestHead({ botId, path }: { botId: string; path: string }, headers: string[]): string {
  return [`POST /${botId}/${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')
}

export function pick({ status, body }: RawAnswer): [number, string] {
  return [status, body]
}

export function eventsTable(): string {
  return storageOfRun === 'sqlite' ? 'events' : 'queue_events'
}
