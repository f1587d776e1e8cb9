import type { LinkPurpose } from '../domain/accounts/recovery/one-time-link-store.ts'

/** The path on the base surface for each kind of one-time link. */
export const linkPages = {
  'verify-email': '/verify-email',
  'reset-password': '/reset-password',
  'set-pin': '/recover-pin',
} as const satisfies Record<LinkPurpose, string>

/** Returns the full URL of a one-time link. The URL contains the secret token, so never log it. */
export function linkUrl(baseUrl: string, purpose: LinkPurpose, clearTextToken: string): string {
  return `${baseUrl}${linkPages[purpose]}?token=${clearTextToken}`
}

/** Path of the page that a bot invitation opens. */
export const invitationPath = '/invitation'

/** Returns the full URL of an invitation. The URL contains the secret token, so never log it. */
export function invitationAddress(baseUrl: string, clearTextToken: string): string {
  return `${baseUrl}${invitationPath}?token=${encodeURIComponent(clearTextToken)}`
}
