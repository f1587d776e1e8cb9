import type { FastifyRequest } from 'fastify'
import type { BrowserInfo } from '../domain/accounts/accounts.ts'
import { canonicalAddress } from './client-address.ts'
import { languageOf } from './language.ts'

/** Who sent the request, as sessions keep it, as guesses are counted by and as mails speak to them. */
export function browserInfo(request: FastifyRequest): BrowserInfo {
  const { headers, ip } = request
  return { userAgent: headers['user-agent'], address: canonicalAddress(ip), language: languageOf(request) }
}
