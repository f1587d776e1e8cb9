import type { LogLevel } from '../../../domain/bots/runtimes/runtime-log.ts'
import { type Words, words } from '../../../pages/html.ts'

/** Texts of the runtime log. */
export const logWords = {
  level: words({ en: 'Level', de: 'Stufe' }),
  levels: {
    debug: { word: words({ en: 'Debug', de: 'Debug' }), filter: words({ en: 'Everything', de: 'Alles' }) },
    info: {
      word: words({ en: 'Info', de: 'Info' }),
      filter: words({ en: 'Info and worse', de: 'Ab Info' }),
    },
    warn: {
      word: words({ en: 'Warning', de: 'Warnung' }),
      filter: words({ en: 'Warnings and errors', de: 'Warnungen und Fehler' }),
    },
    error: { word: words({ en: 'Error', de: 'Fehler' }), filter: words({ en: 'Errors', de: 'Nur Fehler' }) },
  } satisfies Record<LogLevel, { word: Words; filter: Words }>,
  list: words({ en: 'Log entries, newest first', de: 'Einträge, die neuesten zuerst' }),
  noneYet: words({ en: 'The bot has logged nothing yet', de: 'Der Bot hat noch nichts protokolliert' }),
  noneOfThisKind: words({
    en: 'Nothing of this kind was logged',
    de: 'Dergleichen wurde nicht protokolliert',
  }),
  about: words({
    en: 'What the bot’s runtime sends as log frames stands here, newest first. Each bot keeps its latest 1,000 entries.',
    de: 'Hier steht, was die Runtime des Bots als Protokoll sendet, das Neueste zuerst. Jeder Bot behält seine letzten 1.000 Einträge.',
  }),
}
