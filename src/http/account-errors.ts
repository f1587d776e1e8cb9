import type { FastifyReply } from 'fastify'
import type { AccountRefusal, AccountRefusalReason } from '../domain/accounts/account-refusal.ts'
import {
  passwordMaxCharacters,
  passwordMinCharacters,
  personNameMaxCharacters,
  pinMaxDigits,
  pinMinDigits,
} from '../domain/limits.ts'
import { waitWords } from './words/durations.ts'

/** The fields of the account pages' forms, by their names on the wire. */
export type AccountField = 'name' | 'email' | 'current_password' | 'password' | 'pin' | 'pin_again'

interface AccountError {
  status: 403 | 404 | 422 | 429 | 503
  /** Beside which field it is said; else above the form. */
  field?: AccountField
  message: string | ((refusal: AccountRefusal) => string)
}

const wait = (refusal: AccountRefusal) => waitWords(refusal.retryAfterMs ?? 0).en

/** What the account pages say of each refusal. Whether an e-mail address has an account is told at sign-up only. */
const accountErrors: Record<AccountRefusalReason, AccountError> = {
  'sign-up-closed': {
    status: 403,
    message: 'New accounts are made by the operator of this service. Ask them for one.',
  },
  'name-missing': { status: 422, field: 'name', message: 'Enter your name.' },
  'name-too-long': {
    status: 422,
    field: 'name',
    message: `Use a name of at most ${personNameMaxCharacters} characters.`,
  },
  'email-missing': { status: 422, field: 'email', message: 'Enter your e-mail address.' },
  'email-malformed': {
    status: 422,
    field: 'email',
    message: 'This is not an e-mail address. It looks like name@example.com.',
  },
  'email-taken': {
    status: 422,
    field: 'email',
    message: 'This address already has an account. Sign in with it, or use another address.',
  },
  'password-too-short': {
    status: 422,
    field: 'password',
    message: `Use a password of at least ${passwordMinCharacters} characters. A few words in a row are easy to remember.`,
  },
  'password-too-long': {
    status: 422,
    field: 'password',
    message: `Use a password of at most ${passwordMaxCharacters} characters.`,
  },
  'password-well-known': {
    status: 422,
    field: 'password',
    message: 'This password is among those that are tried first. Choose one that nobody else would.',
  },
  'password-wrong': { status: 422, field: 'password', message: 'This is not your password. Check it and try again.' },
  'current-password-wrong': {
    status: 422,
    field: 'current_password',
    message: 'This is not your password as it is now. Check it and try again.',
  },
  'credentials-wrong': {
    status: 422,
    message: 'The e-mail address and the password do not match an account. Check both and try again.',
  },
  'slow-down': {
    status: 429,
    message: (refusal) => `There were too many failed attempts. Try again in ${wait(refusal)}.`,
  },
  busy: {
    status: 503,
    message: (refusal) => `Many people are signing in right now. Try again in ${wait(refusal)}.`,
  },
  'pin-malformed': { status: 422, field: 'pin', message: `A PIN is ${pinMinDigits} to ${pinMaxDigits} digits.` },
  'pin-not-set': { status: 422, field: 'pin', message: 'You have no PIN yet. Set one first.' },
  'pin-wrong': {
    status: 422,
    field: 'pin',
    message: ({ triesLeft }) =>
      `This is not your PIN. ${triesLeft === 1 ? '1 try is' : `${triesLeft} tries are`} left before it is locked.`,
  },
  'pin-locked': {
    status: 429,
    message: (refusal) => `Your PIN is locked after too many wrong ones. Try again in ${wait(refusal)}.`,
  },
  'unlock-first': { status: 403, message: 'Unlock with the PIN you have before you set another.' },
  'chat-platform-id-malformed': { status: 422, message: 'The chat-platform id is 17 to 20 digits.' },
  'chat-platform-id-taken': { status: 422, message: 'This chat-platform account is linked to another user.' },
  'code-hosting-id-malformed': { status: 422, message: 'This is not the id of a code-hosting account.' },
  'code-hosting-id-taken': { status: 422, message: 'This code-hosting account is linked to another user.' },
  'link-invalid': { status: 404, message: 'This link has been used already, or is too old. Ask for a new one.' },
  'too-many-mails': {
    status: 429,
    message: (refusal) =>
      `This was asked for too often. Look for the mail that was sent before, also among what is marked as spam, or ask again in ${wait(refusal)}.`,
  },
  'user-unknown': { status: 404, message: 'This account is not there any more.' },
}

/** What a form's page says after a refusal: beside fields, and above the form. */
export interface FormErrors {
  fields: Partial<Record<AccountField, string>>
  form: string | undefined
}

/** The fields' errors as a list, in the order of the form. */
export function fieldFaults(errors: FormErrors): { field: string; message: string }[] {
  return Object.entries(errors.fields).map(([field, message]) => ({ field, message }))
}

export const noErrors: FormErrors = { fields: {}, form: undefined }

/** Sets `Retry-After` where waiting helps, and returns the page's status and what it says. */
export function answerAccountRefusal(
  reply: FastifyReply,
  refusal: AccountRefusal,
): { status: number; errors: FormErrors } {
  if (refusal.retryAfterMs !== undefined) {
    reply.header('retry-after', String(Math.max(1, Math.ceil(refusal.retryAfterMs / 1_000))))
  }
  const errors: FormErrors = { fields: {}, form: undefined }
  for (const reason of refusal.reasons) {
    const { field, message } = accountErrors[reason]
    const text = typeof message === 'string' ? message : message(refusal)
    if (field === undefined) errors.form ??= text
    else errors.fields[field] ??= text
  }
  return { status: accountErrors[refusal.reason].status, errors }
}
