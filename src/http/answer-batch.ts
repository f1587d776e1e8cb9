import type { ServerResponse } from 'node:http'

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
 * The answers of one turn of the event loop leave together, at its end: the first wakes the client, the others find it
 * awake, and to wake it takes longer than to write.
 */
export class AnswerBatch {
  #leaving: { response: ServerResponse; answer: Answer }[] = []

  /** Answers that have not left yet. */
  get waiting(): number {
    return this.#leaving.length
  }

  send(response: ServerResponse, answer: Answer): void {
    if (this.#leaving.push({ response, answer }) === 1) setImmediate(() => this.#leave())
  }

  #leave(): void {
    const leaving = this.#leaving
    this.#leaving = leaving.length > answersPerTurn ? leaving.splice(answersPerTurn) : []
    if (this.#leaving.length > 0) setImmediate(() => this.#leave())
    for (const { response, answer } of leaving) write(response, answer)
  }
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  const length = status === 204 ? [] : ['content-length', String(Buffer.byteLength(body))]
  response.writeHead(status, [...headers, ...length])
  response.end(body)
}
