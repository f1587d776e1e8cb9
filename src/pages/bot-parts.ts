import type { BotAction } from '../domain/bots/bot-access.ts'
import { words } from './html.ts'

/** The pages about a bot, in the order of their tabs. `path` is appended to the bot's URL. */
export const botParts = {
  bot: { name: words({ en: 'Overview', de: 'Übersicht' }), path: '', for: undefined },
  flows: { name: words({ en: 'Flows', de: 'Flows' }), path: '/flows', for: undefined },
  deliveries: { name: words({ en: 'Deliveries', de: 'Zustellungen' }), path: '/deliveries', for: undefined },
  logs: { name: words({ en: 'Logs', de: 'Protokoll' }), path: '/logs', for: undefined },
  runtimes: { name: words({ en: 'Runtimes', de: 'Runtimes' }), path: '/runtimes', for: 'change-runtimes' },
  coworkers: { name: words({ en: 'Collaborators', de: 'Bearbeiter' }), path: '/coworkers', for: undefined },
  settings: { name: words({ en: 'Settings', de: 'Einstellungen' }), path: '/settings', for: undefined },
} as const satisfies Record<string, { name: unknown; path: string; for: BotAction | undefined }>

export type BotPart = keyof typeof botParts
