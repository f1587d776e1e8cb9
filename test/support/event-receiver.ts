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

/** An HTTP server that receives outgoing events. */
export class EventReceiver {
  readonly received: ReceivedEvent[] = []
  /** Responses by path. Other paths respond with 204. */
  readonly responses = new Map<string, Response>()
  readonly url: string

  private constructor(url: string) {
    this.url = url
  }

  static async open(t: TestContext): Promise<EventReceiver> {
    const url = await serve(t, ({ url: path = '', headers }, response, body) => {
      const wanted = receiver.responses.get(path) ?? { status: 204 }
      receiver.received.push({ path, headers, body, json: JSON.parse(body) })
      if (wanted !== 'hang') response.writeHead(wanted.status, wanted.headers).end(wanted.body)
    })
    const receiver = new EventReceiver(url)
    return receiver
  }

  /** Resolves with the events received on the path once there are `count` of them. */
  on(path: string, count = 1): Promise<ReceivedEvent[]> {
    return eventually(() => {
      const found = this.received.filter((event) => event.path === path)
      return found.length >= count ? found : undefined
    })
  }
}
