import type { UserId } from '../ids.ts'

export interface NewKeptForm {
  id: string
  userId: UserId
  sealed: Uint8Array
  expiresAtMs: number
}

/** Each method is one transaction. */
export interface KeptFormStore {
  /** Stores the form and forgets the user's oldest ones beyond `atMost`. False, and nothing stored, for an unknown user. */
  keep(form: NewKeptForm, atMost: number): Promise<boolean>
  /** What is kept under this id, if it is this user's and has not run out. It stays. */
  find(id: string, userId: UserId, nowMs: number): Promise<Uint8Array | undefined>
  /** Deletes at most `atMost` forms that have run out, oldest first; returns how many. */
  deleteExpired(nowMs: number, atMost: number): Promise<number>
}
