import type { BotId } from '../../ids.ts'

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

/** A line that a bot's runtime logged. */
export interface RuntimeLogEntry {
  botId: BotId
  level: LogLevel
  message: string
  /** When it happened, as the runtime says. */
  atMs: number
}
