import type { ChildProcess } from 'node:child_process'
import type { Target } from '../works.ts'

/** A server that is measured beside ours. */
export interface Peer {
  name: string
  /** What of what it has answered for is still there after the process was killed, or the power lost. */
  keeps: string
  /** Its version, or why it can't be measured here and what to do about it. */
  present(): { version: string } | { missing: string }
  /** @param folder an empty folder of its own, for its data */
  start(folder: string, port: number): Promise<{ server: ChildProcess; target: Target }>
}
