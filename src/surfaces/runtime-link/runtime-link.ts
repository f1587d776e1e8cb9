import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws'
import { FaultBursts } from '../../domain/background-work.ts'
import type { AuthenticatedRuntime, Runtime } from '../../domain/bots/runtimes/runtime.ts'
import { newId, secretPrefixes } from '../../domain/ids-and-secrets.ts'
import { PartyBudgets } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Refusals } from '../../http/request-metrics.ts'
import { clientAddress, type TrustProxy } from '../../http/request-origin.ts'
import { LogAllowance } from './attached-frames.ts'
import { FrameBudget, type OpenLink, openLink } from './connection.ts'
import { closeCodes, drainReasons, subprotocol } from './frames.ts'
import { type LinkServices, RuntimeSession } from './runtime-session.ts'

interface RuntimeLinkParts extends LinkServices {
  /** Connections that were closed before they became a session. */
  refusals: Refusals
  trust: TrustProxy
}

interface Refused {
  cause: string
  code: number
  reason: string
}

const watchEveryMs = 1_000
/** Keys of open sessions are read again, in case a broadcast about a changed key was lost. */
const keysCheckedEveryMs = 60_000
/** If the peer doesn't answer our close frame until then, its socket is destroyed. */
const closeTimeoutMs = 2_000

/** `{api_url}/runtime`: WebSocket connections on which bot runtimes have their sessions. */
export class RuntimeLink {
  readonly #parts: RuntimeLinkParts
  readonly #logAllowance = new LogAllowance()
  readonly #faultBursts: FaultBursts
  readonly #ofOwners = new PartyBudgets(limits.runtimeBytesPerOwner, limits.runtimeBytesOwnersMax)
  readonly #server: WebSocketServer
  readonly #links = new Map<RuntimeSession, OpenLink>()
  readonly #stops: (() => void)[]
  #draining = false
  readonly #allClosed = Promise.withResolvers<void>()

  constructor(parts: RuntimeLinkParts) {
    this.#parts = parts
    const { bots, clock } = parts
    this.#faultBursts = new FaultBursts(parts)
    const options: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: limits.runtimeFrameMaxBytes,
      closeTimeout: closeTimeoutMs,
      // If a client offers only other subprotocols, accept its first one, so that the client can read the close reason.
      handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : ([...offered][0] ?? false)),
    }
    this.#server = new WebSocketServer(options)
    this.#stops = [
      bots.changes.onBot((botId) => this.#forEach((session) => session.assignmentChanged(botId))),
      bots.changes.onRuntime(({ runtimeId, access }) =>
        this.#forEach((session) => {
          if (session.runtime.id === runtimeId) session.runtimeChanged(access)
        }),
      ),
      // Changes may have been missed, so the runtimes reconnect. They keep their deliveries in flight.
      bots.changes.onMissed(() =>
        this.#forEach((session) => {
          session.drain(limits.runtimeDrainMs, drainReasons.databaseLost)
          setTimeout(() => session.cutShort(), limits.runtimeDrainMs).unref()
        }),
      ),
      clock.every(watchEveryMs, () =>
        this.#forEach((session, link) => {
          link.closeIfExceeded()
          session.watch(clock.nowMs())
        }),
      ),
      clock.every(keysCheckedEveryMs, () =>
        this.#checkRuntimes().catch((error) => this.#faultBursts.note(error, 'runtime check failed')),
      ),
    ]
  }

  /** Rejects connections with close codes, because every client library reports those. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until the WebSocket takes over, an unhandled socket error would crash the process.
    const ignore = () => {}
    socket.on('error', ignore)
    const admission = await this.#admit(request)
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off('error', ignore)
      webSocket.on('error', (error) => this.#parts.log.info({ err: error }, 'runtime connection error'))
      const outcome = 'runtime' in admission ? (this.#refusal(webSocket, admission.runtime) ?? admission) : admission
      const client = clientAddress(request, this.#parts.trust)
      if ('runtime' in outcome) return this.#open(webSocket, socket, client, outcome)
      this.#parts.refusals.note({ cause: outcome.cause }, { code: outcome.code, client })
      webSocket.close(outcome.code, outcome.reason)
    })
  }

  #refusal(webSocket: WebSocket, runtime: Runtime): Refused | undefined {
    if (webSocket.protocol !== subprotocol) {
      const reason = `ask for the subprotocol ${subprotocol}`
      return { cause: 'no-subprotocol', code: closeCodes.protocolError, reason }
    }
    return this.#full(runtime, ({ phase }) => phase === 'greeted')
  }

  /**
   * Returns why the runtime can't have another session besides these. Sessions count separately before and after
   * `ready`. Otherwise, runtimes that reconnect while their lost sessions are still open couldn't replace those.
   */
  #full({ id, ownerId }: Runtime, counts: (session: RuntimeSession) => boolean): Refused | undefined {
    const open = [...this.#links.keys()].filter(counts)
    const ofOwner = ownerId === null ? [] : open.filter((session) => session.runtime.ownerId === ownerId)
    const full = (reason: string) => ({ cause: 'too-many-sessions', code: closeCodes.overloaded, reason })
    if (open.filter((session) => session.runtime.id === id).length >= limits.runtimeSessionsMax) {
      return full(`this runtime already has ${limits.runtimeSessionsMax} sessions on this node`)
    }
    if (ofOwner.length >= limits.runtimeSessionsPerOwner) {
      return full(`this owner already has ${limits.runtimeSessionsPerOwner} sessions on this node`)
    }
    return undefined
  }

  /** Ends sessions whose key expired or was revoked without this node being notified. */
  async #checkRuntimes(): Promise<void> {
    // Grouped before reading any keys. Otherwise, a session that opens during a read could be ended because its key is
    // too new to be among the keys read.
    for (const [runtimeId, sessions] of Map.groupBy(this.#links.keys(), (session) => session.runtime.id)) {
      const runtime = await this.#parts.bots.runtimes.find(runtimeId, 'operator')
      for (const session of sessions) session.runtimeChanged(runtime)
    }
  }

  /** Stops delivering. A session ends with its last delivery, or after {@link runtimeDrainMs}. Then resolves. */
  async drain(): Promise<void> {
    this.#draining = true
    for (const stop of this.#stops) stop()
    if (this.#links.size === 0) return
    for (const session of this.#links.keys()) session.drain(limits.runtimeDrainMs, drainReasons.restarting)
    // The supervisors that stop the process use the system's clock too.
    const deadline = setTimeout(() => {
      for (const session of this.#links.keys()) session.cutShort()
    }, limits.runtimeDrainMs)
    await this.#allClosed.promise
    clearTimeout(deadline)
  }

  /** If `act` throws for a session, ends it without affecting the others. */
  #forEach(act: (session: RuntimeSession, link: OpenLink) => void): void {
    for (const [session, link] of this.#links) {
      try {
        act(session, link)
      } catch (error) {
        this.#faultBursts.note(error, 'runtime session failed, closing', { runtimeId: session.runtime.id })
        link.terminate()
      }
    }
  }

  async #admit(request: IncomingMessage): Promise<AuthenticatedRuntime | Refused> {
    if (this.#draining) {
      return { cause: 'draining', code: closeCodes.draining, reason: drainReasons.restarting }
    }
    const code = closeCodes.keyRefused
    const [, clearTextKey] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (clearTextKey === undefined) {
      const reason = `send a runtime key: Authorization: Bearer ${secretPrefixes.runtimeKey}…`
      return { cause: 'key-missing', code, reason }
    }
    try {
      const authenticated = await this.#parts.bots.runtimes.authenticate(clearTextKey)
      const reason = clearTextKey.startsWith(secretPrefixes.runtimeKey)
        ? 'unknown runtime key'
        : `this is not a runtime key: one starts with ${secretPrefixes.runtimeKey}`
      return authenticated ?? { cause: 'key-rejected', code, reason }
    } catch (error) {
      this.#faultBursts.note(error, 'runtime check failed')
      const reason = 'the key could not be checked; try again'
      return { cause: 'key-unreadable', code: closeCodes.fault, reason }
    }
  }

  #open(webSocket: WebSocket, socket: Duplex, client: string, { runtime, key }: AuthenticatedRuntime): void {
    const refuseReady = (holder: string) => {
      const full = this.#full(runtime, (other) => other.phase === 'ready' && other.holder !== holder)
      if (full !== undefined) this.#parts.refusals.note({ cause: full.cause }, { code: full.code, client })
      return full
    }
    const budget = new FrameBudget(runtime, this.#ofOwners, this.#parts.clock)
    const link = openLink(
      webSocket,
      socket,
      budget,
      (wire) =>
        new RuntimeSession({
          ...this.#parts,
          ...{ id: newId(), runtime, key, wire, refuseReady },
          faultBursts: this.#faultBursts,
          logAllowance: this.#logAllowance,
        }),
    )
    webSocket.on('close', () => {
      link.session.lost()
      this.#links.delete(link.session)
      if (this.#draining && this.#links.size === 0) this.#allClosed.resolve()
    })
    this.#links.set(link.session, link)
    if (this.#draining) link.session.drain(limits.runtimeDrainMs, drainReasons.restarting)
  }
}
