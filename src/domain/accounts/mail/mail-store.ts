import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'

export type MailKind = 'verify-email' | 'reset-password' | 'email-changed'

export interface NewMail {
  kind: MailKind
  /** `null` if the recipient is looked up by address when the email is sent. */
  userId: UserId | null
  address: string
  /** Language of the request that caused the email. */
  language: Language
}

export interface QueuedMail extends NewMail {
  number: number
  /** Number of failed attempts. */
  attempts: number
  createdAtMs: number
}

/** The queue of emails to send. Each method runs in one transaction. */
export interface MailStore {
  addMail(mail: NewMail, nowMs: number): Promise<void>
  /** Returns the email that has been due the longest, or `undefined` if none is due. */
  nextDue(nowMs: number): Promise<QueuedMail | undefined>
  /** Removes an email that was sent or will not be sent. */
  removeMail(number: number): Promise<void>
  /** Postpones the email until this time without counting a failure. */
  holdMail(number: number, dueAtMs: number): Promise<void>
  /** Counts a failed attempt and postpones the email until this time. */
  postponeMail(number: number, dueAtMs: number): Promise<void>
}
