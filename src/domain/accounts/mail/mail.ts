import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'

/** An email to hand to the mail server. The clear-text token goes into its link and nowhere else. */
export type Mail = { to: string; language: Language } & (
  | { kind: 'verify-email' | 'reset-password'; clearTextToken: string }
  | { kind: 'email-changed' }
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

export type MailKind = 'verify-email' | 'reset-password' | 'email-changed'

export interface NewMail {
  kind: MailKind
  /** ID of the recipient. `null` if the user is looked up by address when the email is sent. */
  userId: UserId | null
  address: string
  /** Language of the request that caused the email. */
  language: Language
}

export interface QueuedMail extends NewMail {
  number: number
  /** Number of failed attempts to send the email. */
  attempts: number
  createdAtMs: number
}

/** Stores the queue of emails to send. Each method runs in one transaction. */
export interface MailStore {
  addMail(mail: NewMail, nowMs: number): Promise<void>
  /** Returns the email that has been due the longest, or `undefined` if none is due. */
  nextDue(nowMs: number): Promise<QueuedMail | undefined>
  /** Removes an email that was sent or will not be sent. */
  removeMail(number: number): Promise<void>
  /** Postpones the email until `dueAtMs` without counting a failure. */
  holdMail(number: number, dueAtMs: number): Promise<void>
  /** Counts a failed attempt and postpones the email until `dueAtMs`. */
  postponeMail(number: number, dueAtMs: number): Promise<void>
}
