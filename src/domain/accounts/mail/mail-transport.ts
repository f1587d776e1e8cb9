import type { Language } from '../../language.ts'

/** A mail as it is handed over. The clear text is for the link in it, and for nothing else. */
export type Mail = { to: string; language: Language } & (
  | { kind: 'verify-email' | 'reset-password'; clearTextToken: string }
  | { kind: 'email-changed' }
)

export interface MailTransport {
  /**
   * Hands the mail to the mail server. `refused`: the server will never accept this mail. `deferred`: the server asks
   * for a retry of this mail. `why` is the server's response, for the log.
   *
   * @throws when the server is unreachable, or fails for a reason that is not this mail.
   */
  send(mail: Mail): Promise<{ kind: 'sent' } | { kind: 'refused' | 'deferred'; why: string }>
}
