import type { BotId } from '../../ids.ts'

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export interface RuntimeLogEntry {
  botId: BotId
  level: LogLevel
  message: string
  /** When the entry was logged, according to the runtime's clock. */
  atMs: number
}
