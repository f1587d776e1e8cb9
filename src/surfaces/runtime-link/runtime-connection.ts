export interface RuntimeConnection {
  send(text: string): void
  close(code: number, reason: string): void
  /** Returns whether the peer has read most of what was sent. The session's `drained` is called once it has. */
  writable(): boolean
  /** Number of bytes sent but still buffered in this process. */
  unreadBytes(): number
  /** Pauses or resumes reading, depending on the session's `takesFrames`. */
  updateReading(): void
}
