import { words } from './html.ts'

/** The pages about an account, in the order of their tabs. Also the breadcrumbs of the pages inside them. */
export const accountParts = {
  profile: { name: words({ en: 'Profile', de: 'Profil' }), href: '/account' },
  security: { name: words({ en: 'Security', de: 'Sicherheit' }), href: '/account/security' },
  sessions: { name: words({ en: 'Sessions', de: 'Sitzungen' }), href: '/account/sessions' },
  applications: { name: words({ en: 'Applications', de: 'Anwendungen' }), href: '/account/applications' },
  activity: { name: words({ en: 'Activity', de: 'Aktivitäten' }), href: '/account/activity' },
} as const

export type AccountPart = keyof typeof accountParts
