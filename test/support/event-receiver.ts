import type { IncomingHttpHeaders } from 'node:http'
import type { TestContext } from 'node:test'
import { eventually } from './eventually.ts'
import { serve } from './local-server.ts'

export interface ReceivedEvent {
  path: string
  headers: IncomingHttpHeaders
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the data
  json: { type: string; timestamp: string; data: any }
}

/** How the receiver responds. `'hang'` never responds. */
type Response = { status: number; body?: string; headers?: Record<string, string> } | 'hang'

/** Opens an HTTP server that receives outgoing events. */
export async function openEventReceiver(t: TestContext) {
  const received: ReceivedEvent[] = []
  /** Responses by path. Other paths respond with 204. */
  const responses = new Map<string, Response | Promise<Response>>()
  const url = await serve(t, async ({ url: path = '', headers }, response, body) => {
    received.push({ path, headers, body, json: JSON.parse(body) })
    const wanted = await (responses.get(path) ?? { status: 204 })
    if (wanted !== 'hang') response.writeHead(wanted.status, wanted.headers).end(wanted.body)
  })
  /** Returns the events received on the path so far. */
  const at = (path: string) => received.filter((event) => event.path === path)
  /** Resolves with the events received on the path once there are `count` of them. */
  const on = (path: string, count = 1) => eventually(() => (at(path).length >= count ? at(path) : undefined))
  return { url, received, responses, at, on }
}
