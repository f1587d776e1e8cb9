export interface RuntimeConnection {
  send(text: string): void
  close(code: number, reason: string): void
  /** Returns whether most of what was sent has been read. The session's `drained` is called when this becomes true. */
  writable(): boolean
  /** Number of sent bytes that have not left this process yet. */
  unreadBytes(): number
  /** Pauses or resumes reading, depending on the session's `takesFrames`. */
  updateReading(): void
}
