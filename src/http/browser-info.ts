import type { FastifyRequest } from 'fastify'
import type { BrowserInfo } from '../domain/accounts/accounts.ts'
import { canonicalAddress } from './client-address.ts'

/** Who sent the request, as sessions keep it and as guesses are counted by. */
export function browserInfo(request: FastifyRequest): BrowserInfo {
  return { userAgent: request.headers['user-agent'], address: canonicalAddress(request.ip) }
}
