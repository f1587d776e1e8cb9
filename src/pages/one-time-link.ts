import type { LinkPurpose } from '../domain/accounts/recovery/one-time-link-store.ts'

/** The identity surface's path for each kind of link. */
export const linkPages = {
  'verify-email': '/verify-email',
  'reset-password': '/reset-password',
  'set-pin': '/recover-pin',
} as const satisfies Record<LinkPurpose, string>

/** Returns the full link. It is a secret that only its user may see. Never log it. */
export function linkUrl(baseUrl: string, purpose: LinkPurpose, clearTextToken: string): string {
  return `${baseUrl}${linkPages[purpose]}?token=${clearTextToken}`
}

/** Path of the page that a bot invitation opens. */
export const invitationPath = '/invitation'

/** Returns the full invitation link. It is a secret, like every one-time link. */
export function invitationAddress(baseUrl: string, clearTextToken: string): string {
  return `${baseUrl}${invitationPath}?token=${encodeURIComponent(clearTextToken)}`
}
