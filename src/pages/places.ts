import type { Text } from './html.ts'
import { frameWords } from './words/frame.ts'

/** The origins of the two listeners with pages. That of the page itself is '', so its links stay relative. */
export interface Sites {
  base: string
  portal: string
}

/** A link in the header of every page for signed-in users. */
export interface Section {
  name: Text
  site: keyof Sites
  path: string
}

/** Where a page belongs. */
export interface Place {
  /** Completes the page's title. Also the header's link on pages without a signed-in user. */
  name: Text
  href: string
  /** The header's link for this page, with which its breadcrumbs begin. `undefined` if the page has no navigation. */
  section?: Section
}

const sections = {
  account: { name: frameWords.account, site: 'base', path: '/account' },
  bots: { name: frameWords.bots, site: 'base', path: '/bots' },
  applications: { name: frameWords.applications, site: 'portal', path: '/' },
  reference: { name: frameWords.reference, site: 'portal', path: '/reference' },
} as const satisfies Record<string, Section>

/** The header's links, in their order. */
export const headerSections: readonly Section[] = Object.values(sections)

export const identityPlace: Place = { name: frameWords.gatehouse, href: '/account' }
export const accountPlace: Place = { ...identityPlace, section: sections.account }
export const botsPlace: Place = { ...identityPlace, section: sections.bots }

export const portalPlace: Place = { name: frameWords.portal, href: '/' }
export const applicationsPlace: Place = { ...portalPlace, section: sections.applications }
/** For the API reference, the guides and the packages. */
export const referencePlace: Place = { ...portalPlace, section: sections.reference }
