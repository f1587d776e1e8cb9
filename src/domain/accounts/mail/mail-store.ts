import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'

export type MailKind = 'verify-email' | 'reset-password' | 'email-changed'

export interface NewMail {
  kind: MailKind
  /** Null: for whoever has the address, if anybody has it. */
  userId: UserId | null
  address: string
  /** Language of the mail: that of the request that caused it. */
  language: Language
}

/** Mail that waits to be handed to the mail server. */
export interface QueuedMail extends NewMail {
  number: number
  /** How often it has failed. */
  attempts: number
  createdAtMs: number
}

/** Mail that was accepted and not yet sent, in the order accepted. Each method is one transaction. */
export interface MailStore {
  addMail(mail: NewMail, nowMs: number): Promise<void>
  /** The mail that is due first; undefined when none is due. */
  nextDue(nowMs: number): Promise<QueuedMail | undefined>
  /** It was sent, or is not wanted any more. */
  removeMail(number: number): Promise<void>
  /** Postpones the mail to this time without counting a failure. */
  holdMail(number: number, dueAtMs: number): Promise<void>
  /** It failed once more and is due again at this time. */
  postponeMail(number: number, dueAtMs: number): Promise<void>
}
