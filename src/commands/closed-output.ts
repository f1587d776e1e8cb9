/** Error codes of writes to a stream whose reader is gone. */
const readerGone = ['EPIPE', 'ERR_STREAM_DESTROYED']

/** Drops output whose reader closed early, as `head` does: the error would end the process, perhaps amid a copy. */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!isReaderGone(error)) throw error
    })
  }
}

/** Whether a write failed because the reader of the stream is gone. */
export function isReaderGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && readerGone.includes(String(error.code))
}

/** Resolves when the reader of standard output is gone. For commands that would otherwise write forever. */
export function outputClosed(): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once('error', () => resolve())
  })
}
