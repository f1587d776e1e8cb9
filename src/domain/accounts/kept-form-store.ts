import type { UserId } from '../ids.ts'

export interface NewKeptForm {
  id: string
  userId: UserId
  sealed: Uint8Array
  expiresAtMs: number
}

/** Stores saved forms. Each method runs in one transaction. */
export interface KeptFormStore {
  /**
   * Stores the form and deletes the user's oldest forms beyond `atMost`. If the user is unknown, stores nothing and
   * returns `false`.
   */
  keep(form: NewKeptForm, atMost: number): Promise<boolean>
  /** Returns the encrypted form if it belongs to this user and has not expired. Does not delete it. */
  find(id: string, userId: UserId, nowMs: number): Promise<Uint8Array | undefined>
  /** Deletes up to `atMost` expired forms, oldest first. Returns the number deleted. */
  deleteExpired(nowMs: number, atMost: number): Promise<number>
}
