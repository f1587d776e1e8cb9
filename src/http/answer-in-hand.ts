import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** The answer that the connection waits for. Node keeps it under this name and uses it for the same purpose. */
export function answerInHand(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}
