import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { refusedBodyIdleMs, refusedBodyReadMaxBytes, webhookBodyMaxBytes } from '../../domain/limits/limits.ts'

/** A whole answer, made once: nothing of it depends on the request. */
export interface Answer {
  status: number
  body: string
  /** Names and values in turn, as `writeHead` takes them without copying. */
  headers: string[]
  /** The same, and the connection ends. */
  lastHeaders: string[]
}

export function answer(status: number, body: string, headers: Record<string, string> = {}): Answer {
  const given = Object.entries(headers).flat()
  const all = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body)), ...given]
  return { status, body, headers: all, lastHeaders: [...all, 'Connection', 'close'] }
}

/**
 * Answers, unless the deadline did already.
 *
 * @param last whether the connection ends with this answer.
 */
export function send(response: ServerResponse, { status, body, headers, lastHeaders }: Answer, last: boolean): void {
  if (response.headersSent) return
  response.writeHead(status, last ? lastHeaders : headers)
  response.end(body)
}

/**
 * Refuses a request of which the body may still be on its way. Closing on a sender that still sends would reset the
 * connection and the answer be lost with it; so the rest is read and dropped, within bounds, before the end.
 */
export function refuse(request: IncomingMessage, response: ServerResponse, refusal: Answer, last: boolean): void {
  if (restIsSmall(request)) {
    // Node reads and drops the rest itself, and the connection serves on.
    send(response, refusal, last)
    return
  }
  if (response.headersSent) return
  response.writeHead(refusal.status, refusal.lastHeaders)
  // To HEAD there is no body that would take the head along.
  response.flushHeaders()
  response.write(refusal.body)
  const end = () => response.end()
  let readBytes = 0
  request.on('data', (chunk: Buffer) => {
    readBytes += chunk.length
    if (readBytes > refusedBodyReadMaxBytes) end()
  })
  request.once('end', end)
  request.once('close', end)
  response.setTimeout(refusedBodyIdleMs, end)
}

function restIsSmall(request: IncomingMessage): boolean {
  if (request.complete) return true
  const { 'transfer-encoding': coding, expect, 'content-length': length } = request.headers
  return coding === undefined && expect === undefined && Number(length ?? 0) <= webhookBodyMaxBytes
}

/**
 * Ends the connection with this answer, or with the one in hand if it has been given already. Bytes that still come are
 * dropped for a moment, since closing on them would reset the connection and the answer be lost.
 *
 * @param inHand the answer that the connection waits for, where a request got as far.
 */
export function endWith(socket: Duplex, inHand: ServerResponse | undefined, answer: Answer): void {
  if (inHand === undefined) {
    socket.end(rawAnswer(answer))
  } else {
    if (!inHand.headersSent) {
      inHand.writeHead(answer.status, answer.lastHeaders)
      inHand.flushHeaders()
      inHand.write(answer.body)
    }
    socket.end()
  }
  const cut = setTimeout(() => socket.destroy(), refusedBodyIdleMs)
  socket.once('close', () => clearTimeout(cut))
}

/** The answer as bytes, for a connection on which there is no request to answer. */
function rawAnswer({ status, body, lastHeaders }: Answer): string {
  const lines = lastHeaders.map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
