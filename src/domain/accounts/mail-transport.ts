/** A mail as it is handed over. The clear text is for the link in it, and for nothing else. */
export type Mail =
  | { kind: 'verify-email'; to: string; clearTextToken: string }
  | { kind: 'reset-password'; to: string; clearTextToken: string }
  | { kind: 'email-changed'; to: string }

export interface MailTransport {
  /**
   * Hands the mail to the mail server. `refused`: the server will not take it, however often it is tried. `deferred`: it
   * asks to try this mail again later. `why` is its answer, for the log.
   *
   * @throws when the server is away, or fails whatever the mail.
   */
  send(mail: Mail): Promise<{ kind: 'sent' } | { kind: 'refused' | 'deferred'; why: string }>
}
