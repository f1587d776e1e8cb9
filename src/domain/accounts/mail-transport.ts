import type { Language } from '../language.ts'

/** A mail as it is handed over. The clear text is for the link in it, and for nothing else. */
export type Mail = { to: string; language: Language } & (
  | { kind: 'verify-email' | 'reset-password'; clearTextToken: string }
  | { kind: 'email-changed' }
)

export interface MailTransport {
  /**
   * Hands the mail to the mail server. `refused`: the server will not take it, however often it is tried. `deferred`: it
   * asks to try this mail again later. `why` is its answer, for the log.
   *
   * @throws when the server is away, or fails whatever the mail.
   */
  send(mail: Mail): Promise<{ kind: 'sent' } | { kind: 'refused' | 'deferred'; why: string }>
}
