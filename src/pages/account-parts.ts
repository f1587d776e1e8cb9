import { words } from './html.ts'

/** The tabs of the account pages, in order. Each tab is also the first breadcrumb of the pages below it. */
export const accountParts = {
  profile: { name: words({ en: 'Profile', de: 'Profil' }), href: '/account' },
  security: { name: words({ en: 'Security', de: 'Sicherheit' }), href: '/account/security' },
  sessions: { name: words({ en: 'Sessions', de: 'Sitzungen' }), href: '/account/sessions' },
  applications: {
    name: words({ en: 'Connected applications', de: 'Verbundene Anwendungen' }),
    href: '/account/applications',
  },
  activity: { name: words({ en: 'Activity', de: 'Aktivitäten' }), href: '/account/activity' },
} as const

export type AccountPart = keyof typeof accountParts
