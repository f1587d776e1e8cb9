import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'

export type MailKind = 'verify-email' | 'reset-password' | 'email-changed'

/** Mail to subscribers of a bot's status, which `domain/bots/status-mail/` queues and writes. */
export type StatusMailKind = 'confirm-status' | 'bot-offline' | 'bot-online'

export interface NewMail {
  kind: MailKind
  /** ID of the recipient. `null` if the user is looked up by address when the email is sent. */
  userId: UserId | null
  address: string
  /** Language of the request that caused the email. */
  language: Language
}

export interface QueuedMail extends Omit<NewMail, 'kind'> {
  number: number
  kind: MailKind | StatusMailKind
  /** Number of the subscriber of a bot's status. `null` for mail about an account. */
  subscriber: number | null
  /** JSON: the outage that the mail is about, if any. */
  detail: string | null
  /** Number of failed attempts to send the email. */
  attempts: number
  createdAtMs: number
}

/** Stores the queue of emails to send. Each method runs in one transaction. */
export interface MailStore {
  addMail(mail: NewMail, nowMs: number): Promise<void>
  /**
   * Returns the email that has been due the longest, or `undefined` if none is due. Mail about accounts comes before
   * mail about the status of bots, which may go to many subscribers at once.
   */
  nextDue(nowMs: number): Promise<QueuedMail | undefined>
  /** Removes an email that was sent or will not be sent. */
  removeMail(number: number): Promise<void>
  /** Postpones the email until `dueAtMs` without counting a failure. */
  holdMail(number: number, dueAtMs: number): Promise<void>
  /** Counts a failed attempt and postpones the email until `dueAtMs`. */
  postponeMail(number: number, dueAtMs: number): Promise<void>
}
