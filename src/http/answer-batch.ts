import type { ServerResponse } from 'node:http'
import { PerTurn } from './per-turn.ts'

/** A whole answer, ready to be written. */
export interface Answer {
  status: number
  /** Name, value, name, value …, as Node writes them fastest. */
  headers: readonly string[]
  body: string
}

/**
 * So many leave in one turn. Each brings its client's next request, so this also bounds what the turns after it have to
 * do, and how long anybody waits who asks for something else.
 */
const answersPerTurn = 512

/**
 * Sends the responses of one event-loop tick together, at its end. The first write wakes the client process, and waking it
 * costs more than the other writes.
 *
 * Requires that nothing else writes to these responses. Node keeps pipelined responses in the order of their requests.
 */
export class AnswerBatch {
  readonly #turns = new PerTurn(answersPerTurn, write)

  /** Answers that have not left yet. */
  get waiting(): number {
    return this.#turns.waiting
  }

  send(response: ServerResponse, answer: Answer): void {
    this.#turns.add({ response, answer })
  }
}

interface Leaving {
  response: ServerResponse
  answer: Answer
}

function write({ response, answer: { status, headers, body } }: Leaving): void {
  const length = status === 204 ? [] : ['content-length', String(Buffer.byteLength(body))]
  response.writeHead(status, [...headers, ...length])
  response.end(body)
}
