import { t, type Words } from '../../pages/html.ts'

/** Words that find a page whose name doesn't contain them, by its path, relative to application or bot. */
export const synonymsOfPages: Readonly<Record<string, Words>> = {
  '/account': t.in('search synonyms')`user ID`,
  '/account/security': t.in('search synonyms')`2FA MFA two-factor login keys`,
  '/account/sessions': t.in('search synonyms')`devices sign-out logout browsers`,
  '/account/applications': t.in('search synonyms')`apps access grants consents permissions`,
  '/account/activity': t.in('search synonyms')`history audit log events`,
  '/account/name': t.in('search synonyms')`profile rename`,
  '/account/email': t.in('search synonyms')`mail address`,
  '/account/password': t.in('search synonyms')`login change password`,
  '/account/pin': t.in('search synonyms')`unlock code`,
  '/account/passkeys': t.in('search synonyms')`2FA MFA WebAuthn security keys add`,
  '/account/linked': t.in('search synonyms')`connections social login`,
  '/account/tokens': t.in('search synonyms')`API keys PAT create`,
  '/account/subscriptions': t.in('search synonyms')`events outgoing webhooks notifications alerts`,
  '/account/subscriptions/new': t.in('search synonyms')`new subscribe events outgoing webhooks notifications alerts`,
  '/': t.in('search synonyms')`apps OAuth clients`,
  '/apps/new': t.in('search synonyms')`create new add app client`,
  '/reference': t.in('search synonyms')`documentation docs OpenAPI endpoints`,
  '/guides': t.in('search synonyms')`documentation docs help manuals tutorials`,
  '/packages': t.in('search synonyms')`downloads install SDK CLI libraries`,
  '/keys': t.in('search synonyms')`hotkeys accessibility`,
  '/try-outs': t.in('search synonyms')`test authorization URL`,
  '/usage': t.in('search synonyms')`statistics metrics requests`,
  '/flows': t.in('search synonyms')`webhooks URLs keys signatures`,
  '/deliveries': t.in('search synonyms')`events webhooks queue dead letters replay`,
  '/logs': t.in('search synonyms')`errors failed sign-in requests`,
  '/activity': t.in('search synonyms')`history audit events`,
  '/runtimes': t.in('search synonyms')`keys connections hosting`,
  '/coworkers': t.in('search synonyms')`members team people users access invitations`,
  '/settings': t.in('search synonyms')`hosting public status notice`,
}

/** Words that find an application although its page's name doesn't contain them. */
export const synonymsOfApplications = t.in('search synonyms')`client secret redirect URI`
