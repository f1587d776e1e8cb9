import type { UserId } from '../ids.ts'

export interface NewKeptForm {
  id: string
  userId: UserId
  sealed: Uint8Array
  expiresAtMs: number
}

/** Each method is one transaction. */
export interface KeptFormStore {
  /**
   * Stores the form and deletes the user's oldest ones beyond `atMost`. Returns `false` and stores nothing if the user
   * is unknown.
   */
  keep(form: NewKeptForm, atMost: number): Promise<boolean>
  /** Returns the sealed form if it belongs to this user and has not expired. Does not delete it. */
  find(id: string, userId: UserId, nowMs: number): Promise<Uint8Array | undefined>
  /** Deletes up to `atMost` expired forms, oldest first. Returns their number. */
  deleteExpired(nowMs: number, atMost: number): Promise<number>
}
