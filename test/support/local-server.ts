import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

/** Listens on a free port of loopback, and closes the server when the test ends. Returns the server's URL. */
export async function listening(t: Pick<TestContext, 'after'>, server: NetServer | Server, host = '127.0.0.1') {
  await once(server.listen(0, host), 'listening')
  t.after(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

/** Starts a server that calls `answer` once a request's body has arrived. Returns its URL. */
export function serve(t: Pick<TestContext, 'after'>, answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => answer(request, response, await text(request)))
  return listening(t, server)
}
