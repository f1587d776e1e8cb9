import type { Duplex } from 'node:stream'
import { type RawData, WebSocket } from 'ws'
import * as limits from '../../domain/limits/limits.ts'
import { endOfBudget, type FrameBudget, type RuntimeConnection } from './link-session.ts'
import type { RuntimeSession } from './runtime-session.ts'

export interface OpenLink {
  session: RuntimeSession
  terminate(): void
  /** Hands over the messages that waited for the budget, and closes a session that exceeds it. Call it every second. */
  takeWaiting(): void
}

/** Doesn't read from the socket while the session can't handle frames, and while the budget is spent. */
export function openLink(parts: {
  webSocket: WebSocket
  socket: Duplex
  budget: FrameBudget
  sessionOf: (wire: RuntimeConnection) => RuntimeSession
  onClosed: (session: RuntimeSession) => void
}): OpenLink {
  const { webSocket, socket, budget, onClosed } = parts
  /** Messages that arrived while the budget was spent. Only a few, because the socket isn't read then. */
  const waiting: [data: RawData, isBinary: boolean][] = []
  let stalled = false
  const isClosing = () => webSocket.readyState !== WebSocket.OPEN
  const writable = () => webSocket.bufferedAmount < limits.runtimeSendBufferMaxBytes
  const session = parts.sessionOf({
    send(text) {
      if (isClosing()) return
      webSocket.send(text, () => {
        updateReading()
        if (!stalled || !writable()) return
        stalled = false
        session.drained()
      })
    },
    close(code, reason) {
      waiting.length = 0
      webSocket.close(code, reason)
    },
    unreadBytes: () => webSocket.bufferedAmount,
    updateReading,
    writable() {
      stalled = !writable()
      return !stalled
    },
    finished: (deliveries) => budget.finished(deliveries),
  })
  socket.on('data', (bytes: Buffer) => {
    if (isClosing()) return
    budget.spend(bytes.length)
    closeIfExceeded()
    updateReading()
  })
  webSocket.on('message', (data, isBinary) => {
    if (isClosing()) return
    if (waiting.length > 0 || budget.isSpent) waiting.push([data, isBinary])
    else receive(data, isBinary)
    updateReading()
  })
  webSocket.on('close', () => {
    session.lost()
    onClosed(session)
  })

  function receive(data: RawData, isBinary: boolean): void {
    budget.spend(limits.runtimeFrameBytes)
    if (isBinary) session.receiveBinary()
    else session.receive(String(data))
  }

  function closeIfExceeded(): void {
    if (budget.isExceeded) session.cutShort(endOfBudget)
  }

  function updateReading(): void {
    // The peer's close frame still has to be read.
    const reads = isClosing() || (session.takesFrames && waiting.length === 0 && !budget.isSpent)
    if (reads && webSocket.isPaused) webSocket.resume()
    else if (!reads && !webSocket.isPaused) webSocket.pause()
  }

  return {
    session,
    terminate: () => webSocket.terminate(),
    takeWaiting() {
      closeIfExceeded()
      for (let next = waiting[0]; next !== undefined && !budget.isSpent; next = waiting[0]) {
        waiting.shift()
        receive(...next)
      }
      updateReading()
    },
  }
}
