import type { LinkRefusalReason } from '../../domain/accounts/linked-accounts/upstream.ts'

export const linkErrorStatus: Record<LinkRefusalReason, 400 | 403 | 404 | 409 | 502 | 503> = {
  denied: 403,
  'provider-unreachable': 503,
  'provider-refused': 502,
  'answer-malformed': 502,
  'provider-unknown': 404,
  'visit-unknown': 400,
  'signed-out-meanwhile': 403,
  'sign-in-again': 403,
  'sign-up-closed': 403,
  'user-disabled': 403,
  'email-taken': 409,
  'account-taken': 409,
  'another-linked': 409,
  'not-linked': 404,
  'last-way-to-sign-in': 409,
}
