import type { Text } from './html.ts'
import { frameWords } from './words/frame.ts'

/**
 * Origins of the two listeners with pages. The origin of the shown page's own listener is '', so that its links stay
 * relative.
 */
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

/** The part of the service to which a page belongs. Determines the page's header, title and first breadcrumb. */
export interface Place {
  /** The last part of the page's title. If there is no signed-in user, it is also the text of the header's link. */
  name: Text
  href: string
  /**
   * The header's link that is marked on this page, and the page's first breadcrumb. `null` if the page belongs to no
   * section, `undefined` if the page has no navigation.
   */
  section?: Section | null
}

const sections = {
  account: { name: frameWords.account, site: 'base', path: '/account' },
  bots: { name: frameWords.bots, site: 'base', path: '/bots' },
  applications: { name: frameWords.applications, site: 'portal', path: '/' },
  reference: { name: frameWords.reference, site: 'portal', path: '/reference' },
} as const satisfies Record<string, Section>

/** The links in the header, from left to right. */
export const headerSections: readonly Section[] = Object.values(sections)

export const identityPlace: Place = { name: frameWords.gatehouse, href: '/account' }
export const accountPlace: Place = { ...identityPlace, section: sections.account }
export const botsPlace: Place = { ...identityPlace, section: sections.bots }

export const portalPlace: Place = { name: frameWords.portal, href: '/' }
export const applicationsPlace: Place = { ...portalPlace, section: sections.applications }
/** The place of the search page, which belongs to no section. */
export const searchPlace: Place = { ...identityPlace, section: null }
/** The place of the API reference, the guides and the packages. */
export const referencePlace: Place = { ...portalPlace, section: sections.reference }
