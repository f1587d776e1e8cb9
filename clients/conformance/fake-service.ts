import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
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
  /** How the service responds to a request for a WebSocket, unless it accepts it. */
  onConnect: 'accept' | ((socket: Socket) => void) = 'accept'

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
      this.#arrived()
      if (this.onConnect !== 'accept') {
        this.onConnect(socket)
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
  async welcomed(welcome: { bots?: string[]; lost?: string[] } = {}, hello: object = {}): Promise<FakeSession> {
    const session = await this.connection()
    session.hello(hello)
    await session.next('ready')
    session.welcome(welcome)
    return session
  }

  /** Like {@link welcomed}, with a heartbeat every {@link heartbeatMs}. */
  beating(welcome: { lost?: string[] } = {}): Promise<FakeSession> {
    return this.welcomed(welcome, { heartbeatMs })
  }

  /** Returns the next connection once a webhook has been acknowledged on it. */
  async workingSession(): Promise<FakeSession> {
    const session = await this.welcomed()
    await session.acked(session.dispatch('ok'))
    return session
  }

  /** Waits for this many connection attempts. */
  async tries(count: number): Promise<void> {
    await waitFor(
      () => (this.triedAtMs.length >= count ? true : undefined),
      (changed) => {
        this.#arrived = changed
      },
      `only ${this.triedAtMs.length} of ${count} connection attempts`,
    )
  }

  /** Fails if the client has opened a connection that the case has not asked for. */
  expectNoFurtherConnection(because: string): void {
    if (this.#sessions.length > 0) fail(`the client reconnected ${because}`)
  }
}

/** Returns a function for {@link FakeService.onConnect} that sends an HTTP response without a body. */
export function respondWith(status: number, header = ''): (socket: Socket) => void {
  return (socket) => socket.end(`HTTP/1.1 ${status} None\r\n${header}Connection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** A parsed frame from the client. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of parsed frames
export type ClientFrame = { type: string } & Record<string, any>

interface Dispatched {
  delivery: string
  id: string
  botId: string
}

/** Heartbeat interval of {@link FakeService.beating}, so long that a busy machine hardly makes a client reconnect. */
export const heartbeatMs = 600
/** Heartbeat interval of cases that don't wait for heartbeats. */
const rareHeartbeatMs = 10_000
const leaseMs = 3_000
export const botId = 'lantern'
export const otherBotId = 'beacon'

export class FakeSession {
  readonly #webSocket: WebSocket
  readonly #socket: Socket
  readonly request: IncomingMessage
  readonly received: ClientFrame[] = []
  /** Received frames that the case has not consumed. */
  readonly #unread: ClientFrame[] = []
  #ended: { code: number } | undefined
  #fault: string | undefined
  #changed: (() => void)[] = []
  /** Deliveries that the answers to heartbeats report as lost. */
  lost: string[] = []
  answering = true

  constructor(webSocket: WebSocket, socket: Socket, request: IncomingMessage) {
    this.#webSocket = webSocket
    this.#socket = socket
    this.request = request
    webSocket.on('message', (data, isBinary) => this.#receive(String(data), isBinary))
    webSocket.on('error', (error) => {
      this.#fault = error.message
    })
    webSocket.on('close', (code) => {
      this.#ended = { code }
      this.#notify()
    })
  }

  send(frame: object): void {
    this.sendText(JSON.stringify(frame))
  }

  sendText(text: string): void {
    this.#webSocket.send(text)
  }

  sendFragment(bytes: Uint8Array, last: boolean): void {
    this.#webSocket.send(bytes, { binary: false, fin: last })
  }

  /** Sends bytes as they are, without a frame around them. */
  sendBytes(bytes: Uint8Array): void {
    this.#socket.write(bytes)
  }

  sendBinary(bytes: Uint8Array): void {
    this.#webSocket.send(bytes)
  }

  /** Sends a ping and waits for the pong. */
  async ping(text: string): Promise<void> {
    let answered: boolean | undefined
    this.#webSocket.once('pong', (data) => {
      answered = String(data) === text
      this.#notify()
    })
    this.#webSocket.ping(text)
    const same = await waitFor(
      () => answered,
      (changed) => this.#changed.push(changed),
      'no pong',
    )
    if (!same) fail('the pong has another payload than the ping')
  }

  hello(members: object = {}): void {
    this.send({
      type: 'hello',
      session: randomUUID(),
      heartbeatMs: rareHeartbeatMs,
      leaseMs,
      maxCredit: 1_024,
      ...members,
    })
  }

  welcome({ bots = [botId], lost = [] }: { bots?: string[]; lost?: string[] }): void {
    this.send({ type: 'welcome', bots, refused: [], lost })
  }

  /** Dispatches an event. The path determines what the client's handler does. */
  dispatch(path: string, members: object = {}): Dispatched {
    const frame = {
      type: 'dispatch',
      delivery: `d-${randomUUID()}`,
      id: `e-${randomUUID()}`,
      attempt: 1,
      botId,
      flowId: 'orders',
      path,
      acceptedAt: Date.now(),
      clientIp: '192.0.2.7',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: Buffer.from('hello').toString('base64'),
      ...members,
    }
    this.send(frame)
    return { delivery: frame.delivery, id: frame.id, botId: frame.botId }
  }

  /** Consumes the next frame of this type. Frames of other types stay available. */
  next(type: string): Promise<ClientFrame> {
    return this.find(`no "${type}"`, (frame) => frame.type === type)
  }

  /** Like {@link next}, for a frame that arrives from now on. */
  nextNew(type: string): Promise<ClientFrame> {
    const { length } = this.received
    return this.find(`no new "${type}"`, (frame) => frame.type === type && this.received.indexOf(frame) >= length)
  }

  /** Consumes the first matching frame. Other frames stay available. */
  async find(otherwise: string, fits: (frame: ClientFrame) => boolean): Promise<ClientFrame> {
    return waitFor(
      () => {
        const at = this.#unread.findIndex(fits)
        if (at >= 0) return this.#unread.splice(at, 1)[0]
        if (this.#ended !== undefined) fail(`${otherwise} before the connection ended with ${this.#describeEnd()}`)
        return undefined
      },
      (changed) => this.#changed.push(changed),
      otherwise,
    )
  }

  async acked({ delivery }: Dispatched): Promise<void> {
    await this.find('no "ack" of the delivery', (frame) => frame.type === 'ack' && frame.deliveries?.includes(delivery))
  }

  nacked({ delivery }: Dispatched): Promise<ClientFrame> {
    return this.find('no "nack" of the delivery', (frame) => frame.type === 'nack' && frame.delivery === delivery)
  }

  /** Waits until the client has logged `started <event ID>`, which is the first thing that its handler does. */
  async started(event: Dispatched): Promise<void> {
    await waitFor(
      () => (this.startsOf(event) > 0 ? true : undefined),
      (changed) => this.#changed.push(changed),
      `no log entry "started ${event.id}"`,
    )
  }

  /** Returns how many times the handler started to handle the event. */
  startsOf(event: Dispatched): number {
    return this.received
      .flatMap(entriesOf)
      .filter(({ botId, message }) => botId === event.botId && message === `started ${event.id}`).length
  }

  ended(otherwise: string): Promise<{ code: number }> {
    return waitFor(
      () => this.#ended,
      (changed) => this.#changed.push(changed),
      otherwise,
    )
  }

  get open(): boolean {
    return this.#ended === undefined
  }

  close(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
  }

  reset(): void {
    this.#socket.resetAndDestroy()
  }

  /** Reads nothing more until {@link release}. */
  hold(): void {
    this.#webSocket.pause()
  }

  release(): void {
    this.#webSocket.resume()
  }

  /** Bytes that have arrived and wait to be read. */
  get heldBytes(): number {
    return this.#socket.readableLength
  }

  /** Reads and answers nothing more but keeps the connection open, like a machine that has lost its network. */
  freeze(): void {
    this.#socket.removeAllListeners('data')
    this.#socket.pause()
  }

  #receive(text: string, isBinary: boolean): void {
    if (isBinary) this.#fault = 'a binary frame'
    let frame: ClientFrame
    try {
      frame = JSON.parse(text)
    } catch {
      this.#fault = `a frame that is not JSON: ${text.slice(0, 80)}`
      return
    }
    this.received.push(frame)
    this.#unread.push(frame)
    if (frame.type === 'heartbeat' && this.answering) {
      this.send({ type: 'heartbeat', now: Date.now(), lost: this.lost.filter((one) => frame.working?.includes(one)) })
    }
    this.#notify()
  }

  #describeEnd(): string {
    return `code ${this.#ended?.code}${this.#fault === undefined ? '' : ` (${this.#fault})`}`
  }

  #notify(): void {
    for (const changed of this.#changed.splice(0)) changed()
  }
}

function entriesOf(frame: ClientFrame): { botId: string; message: string }[] {
  return frame.type === 'log' ? frame.entries : []
}
