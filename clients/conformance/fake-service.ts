import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { FakeSession } from './fake-session.ts'
import { fail, waitFor } from './wait-for.ts'

export const runtimeKey = 'svc_rk_conformance'
const frameMaxBytes = 2 * 1_048_576

/** A scripted service. It sends nothing by itself except answers to heartbeats. */
export class FakeService {
  readonly #http: Server
  readonly #sockets = new Set<Socket>()
  readonly #sessions: FakeSession[] = []
  #arrived: () => void = () => {}
  #port = 0
  /** The times of all connection attempts, in milliseconds on the monotonic clock. */
  readonly triedAtMs: number[] = []
  onConnect: 'accept' | 'reject' = 'accept'

  private constructor() {
    const webSockets = new WebSocketServer({
      noServer: true,
      maxPayload: frameMaxBytes,
      handleProtocols: (offered) => [...offered][0] ?? false,
    })
    this.#http = createServer((_request, response) => response.writeHead(404).end())
    this.#http.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    })
    this.#http.on('upgrade', (request: IncomingMessage, socket: Socket, head) => {
      this.triedAtMs.push(performance.now())
      if (this.onConnect === 'reject') {
        socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
        return
      }
      webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        this.#sessions.push(new FakeSession(webSocket, socket, request))
        this.#arrived()
      })
    })
  }

  static async open(): Promise<FakeService> {
    const service = new FakeService()
    await service.start()
    return service
  }

  /** Listens on a free port. After `stop`, listens on the same port again. */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject)
      this.#http.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (this.#http.address() as AddressInfo).port
  }

  /** Stops like a killed process: resets open connections and refuses new ones. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#http.close(resolve))
    for (const socket of this.#sockets) socket.resetAndDestroy()
    await closed
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}/runtime`
  }

  /** Returns the next connection, before any frame is sent on it. */
  async connection(otherwise = 'no connection'): Promise<FakeSession> {
    return waitFor(
      () => this.#sessions.shift(),
      (changed) => {
        this.#arrived = changed
      },
      otherwise,
    )
  }

  /** Returns the next connection after exchanging hello, ready and welcome. */
  async welcomed(welcome: { bots?: string[]; lost?: string[] } = {}): Promise<FakeSession> {
    const session = await this.connection()
    session.hello()
    await session.next('ready')
    session.welcome(welcome)
    return session
  }

  /** Fails if the client has opened a connection that the case has not asked for. */
  expectNoFurtherConnection(because: string): void {
    if (this.#sessions.length > 0) fail(`the client reconnected ${because}`)
  }
}
