import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'

export type MailKind = 'verify-email' | 'reset-password' | 'email-changed'

export interface NewMail {
  kind: MailKind
  /** `null` if the recipient is looked up by address when the mail is sent. */
  userId: UserId | null
  address: string
  /** Language of the request that caused the mail. */
  language: Language
}

export interface QueuedMail extends NewMail {
  number: number
  /** Number of failed attempts. */
  attempts: number
  createdAtMs: number
}

/** The queue of mail to send. Each method is one transaction. */
export interface MailStore {
  addMail(mail: NewMail, nowMs: number): Promise<void>
  /** Returns the mail that has been due longest, or `undefined` if none is due. */
  nextDue(nowMs: number): Promise<QueuedMail | undefined>
  /** Removes a mail that was sent, or will not be. */
  removeMail(number: number): Promise<void>
  /** Postpones the mail to this time without counting a failure. */
  holdMail(number: number, dueAtMs: number): Promise<void>
  /** Counts a failed attempt and postpones the mail to this time. */
  postponeMail(number: number, dueAtMs: number): Promise<void>
}
