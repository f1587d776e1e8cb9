import type { LogLevel } from '../../../domain/bots/runtimes/runtime-logs.ts'
import { type Words, words } from '../../../pages/html.ts'

/** Text for the runtime log. */
export const logWords = {
  level: words({ en: 'Level', de: 'Stufe' }),
  levels: {
    debug: { word: words({ en: 'Debug', de: 'Debug' }), filter: words({ en: 'All levels', de: 'Alle Stufen' }) },
    info: {
      word: words({ en: 'Info', de: 'Info' }),
      filter: words({ en: 'Info and above', de: 'Info und höher' }),
    },
    warn: {
      word: words({ en: 'Warning', de: 'Warnung' }),
      filter: words({ en: 'Warnings and errors', de: 'Warnungen und Fehler' }),
    },
    error: { word: words({ en: 'Error', de: 'Fehler' }), filter: words({ en: 'Errors', de: 'Nur Fehler' }) },
  } satisfies Record<LogLevel, { word: Words; filter: Words }>,
  list: words({ en: 'Log entries, newest first', de: 'Protokolleinträge, neueste zuerst' }),
  noneYet: words({ en: 'No log entries yet', de: 'Noch keine Protokolleinträge' }),
  noneOfThisKind: words({
    en: 'No log entries at this level',
    de: 'Keine Protokolleinträge dieser Stufe',
  }),
  about: words({
    en: 'Entries from the bot’s runtime, newest first. The latest 1,000 are kept.',
    de: 'Einträge der Runtime, neueste zuerst. Die letzten 1.000 werden aufbewahrt.',
  }),
}
