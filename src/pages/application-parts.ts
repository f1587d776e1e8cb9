import { words } from './html.ts'

/** The pages about an application, in the order of their tabs. `path` is appended to the application's URL. */
export const applicationParts = {
  overview: { name: words({ en: 'Overview', de: 'Übersicht' }), path: '' },
  tryOuts: { name: words({ en: 'Try it', de: 'Ausprobieren' }), path: '/try-outs' },
  usage: { name: words({ en: 'Usage', de: 'Nutzung' }), path: '/usage' },
  logs: { name: words({ en: 'Logs', de: 'Protokoll' }), path: '/logs' },
  activity: { name: words({ en: 'Activity', de: 'Aktivitäten' }), path: '/activity' },
} as const

export type ApplicationPart = keyof typeof applicationParts
