import type { Language } from '../../language.ts'

/** An email to hand to the mail server. The clear-text token goes into its link and nowhere else. */
export type Mail = { to: string; language: Language } & (
  | { kind: 'verify-email' | 'reset-password'; clearTextToken: string }
  | { kind: 'email-changed' }
  | MailAboutBot
)

/** Mail to a subscriber of a bot's status. The token confirms the address, or unsubscribes it. */
export type MailAboutBot = { botName: string; chatPlatformId: string; clearTextToken: string } & (
  | { kind: 'confirm-status' }
  | {
      kind: 'bot-offline' | 'bot-online'
      /** When the outage began. */
      beganAtMs: number
      /** When the state began that the mail reports. */
      atMs: number
      /** Set if no mail follows before this time, because the state changes so often. */
      pausedUntilMs: number | null
    }
)

export interface MailTransport {
  /**
   * Hands the email to the mail server. `refused` means that the server will never accept it. `deferred` means that the
   * server asks for a retry. `why` is the server's response, for the log.
   *
   * @throws if the server is unreachable, or fails for a reason unrelated to this email.
   */
  send(mail: Mail): Promise<{ kind: 'sent' } | { kind: 'refused' | 'deferred'; why: string }>
}
