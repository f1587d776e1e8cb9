import type { LinkPurpose } from '../domain/accounts/recovery/one-time-link-store.ts'
import type { BotAction } from '../domain/bots/bot-access.ts'
import { type Text, t } from './html.ts'

/** Origins of the two listeners with pages, '' for the page's own, so that its links stay relative. */
export interface Sites {
  base: string
  portal: string
}

/** A link in the header of every page for signed-in users. */
interface Section {
  name: Text
  site: keyof Sites
  path: string
  /** The key that opens the page, after the key G. */
  key?: string
}

/** The part of the service to which a page belongs. Determines the page's header, title and first breadcrumb. */
export interface Place {
  /** The last part of the page's title. If there is no signed-in user, it is also the text of the header's link. */
  name: Text
  href: string
  /** The marked link of the header, and first breadcrumb. `null`: in no section. `undefined`: no navigation. */
  section?: Section | null
}

const sections = {
  account: { name: t`Account`, site: 'base', path: '/account' },
  bots: { name: t`Bots`, site: 'base', path: '/bots', key: 'b' },
  applications: { name: t`Applications`, site: 'portal', path: '/', key: 'a' },
  reference: { name: t`API reference`, site: 'portal', path: '/reference' },
} as const satisfies Record<string, Section>

export const headerSections: readonly Section[] = Object.values(sections)

export const identityPlace: Place = { name: 'Gatehouse', href: '/account' }
export const accountPlace: Place = { ...identityPlace, section: sections.account }
export const botsPlace: Place = { ...identityPlace, section: sections.bots }

export const portalPlace: Place = { name: t`Developer portal`, href: '/' }
export const applicationsPlace: Place = { ...portalPlace, section: sections.applications }
/** The place of the search page and of the keyboard shortcuts, which belong to no section. */
export const searchPlace: Place = { ...identityPlace, section: null }
export const referencePlace: Place = { ...portalPlace, section: sections.reference }

/** The tabs of the account pages, in order. Each tab is also the first breadcrumb of the pages below it. */
export const accountParts = {
  profile: { name: t`Profile`, href: '/account' },
  security: { name: t`Security`, href: '/account/security' },
  sessions: { name: t`Sessions`, href: '/account/sessions' },
  applications: { name: t`Connected applications`, href: '/account/applications' },
  activity: { name: t`Activity`, href: '/account/activity' },
} as const

export type AccountPart = keyof typeof accountParts

/** The pages about an application, in the order of their tabs. `path` is appended to the application's URL. */
export const applicationParts = {
  overview: { name: t`Overview`, path: '' },
  tryOuts: { name: t`Try it`, path: '/try-outs' },
  usage: { name: t`Usage`, path: '/usage' },
  logs: { name: t`Logs`, path: '/logs' },
  activity: { name: t`Activity`, path: '/activity' },
  settings: { name: t`Settings`, path: '/settings' },
} as const

export type ApplicationPart = keyof typeof applicationParts

/** The pages about a bot, in the order of their tabs. `path` is appended to the bot's URL. */
export const botParts = {
  bot: { name: t`Overview`, path: '', for: undefined },
  flows: { name: t`Flows`, path: '/flows', for: undefined },
  deliveries: { name: t`Deliveries`, path: '/deliveries', for: undefined },
  logs: { name: t`Logs`, path: '/logs', for: undefined },
  runtimes: { name: t`Runtimes`, path: '/runtimes', for: 'change-runtimes' },
  coworkers: { name: t`Collaborators`, path: '/coworkers', for: undefined },
  settings: { name: t`Settings`, path: '/settings', for: undefined },
} as const satisfies Record<string, { name: unknown; path: string; for: BotAction | undefined }>

export type BotPart = keyof typeof botParts

/** The path on the base surface for each kind of one-time link. */
export const linkPages = {
  'verify-email': '/verify-email',
  'reset-password': '/reset-password',
  'set-pin': '/recover-pin',
} as const satisfies Record<LinkPurpose, string>

/** Returns the full URL of a one-time link. The URL contains the secret token, so never log it. */
export function linkUrl(baseUrl: string, purpose: LinkPurpose, clearTextToken: string): string {
  return `${baseUrl}${linkPages[purpose]}?token=${clearTextToken}`
}

export const invitationPath = '/invitation'

/** Returns the full URL of an invitation. The URL contains the secret token, so never log it. */
export function invitationAddress(baseUrl: string, clearTextToken: string): string {
  return `${baseUrl}${invitationPath}?token=${encodeURIComponent(clearTextToken)}`
}
