import type { IncomingMessage } from 'node:http'
import { uncountedBodyMaxBytes } from '../domain/limits.ts'

/**
 * The body of a request that has come whole and is small, as most are by the end of the turn that brought them; undefined
 * of any other. To take it in one piece spares listening for its pieces (decision 0005).
 */
export function smallBodyOf(request: IncomingMessage): Buffer | undefined {
  if (!request.complete || request.readableLength > uncountedBodyMaxBytes) return undefined
  return request.read() ?? emptyBody
}

export const emptyBody = Buffer.alloc(0)
