import type { ChildProcess } from 'node:child_process'
import type { Target } from '../works.ts'

export interface Peer {
  name: string
  /** Describes the data that survives if the process is killed or the power fails after the server has responded. */
  keeps: string
  /** The peer's version, or the reason why it can't be measured and how to fix that. */
  present(): { version: string } | { missing: string }
  start(folder: string, port: number): Promise<{ server: ChildProcess; target: Target }>
}
