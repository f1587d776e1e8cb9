import type { FastifyRequest } from 'fastify'
import type { BrowserInfo } from '../domain/accounts/accounts.ts'
import { canonicalAddress } from './client-address.ts'
import { languageOf } from './language.ts'

/** Returns the user agent to store with the session, the address for rate limits, and the language for emails. */
export function browserInfo(request: FastifyRequest): BrowserInfo {
  const { headers, ip } = request
  return { userAgent: headers['user-agent'], address: canonicalAddress(ip), language: languageOf(request) }
}
