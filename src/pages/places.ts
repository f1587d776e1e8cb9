import type { Text } from './html.ts'
import { frameWords } from './words/frame.ts'

/** Name and link in the page header, for each surface. */
export const identityPlace = { name: 'Gatehouse', href: '/account' }
export const portalPlace = { name: frameWords.portal, href: '/' }

/** Returns the identity surface's navigation links. */
export function identityPlaces(current: 'account' | 'bots'): { name: Text; href: string; current: boolean }[] {
  return [
    { name: frameWords.account, href: '/account', current: current === 'account' },
    { name: frameWords.bots, href: '/bots', current: current === 'bots' },
  ]
}

/** Returns the navigation links of the portal. */
export function portalPlaces(
  current: 'applications' | 'reference' | 'guides',
): { name: Text; href: string; current: boolean }[] {
  return [
    { name: frameWords.applications, href: '/', current: current === 'applications' },
    { name: frameWords.reference, href: '/reference', current: current === 'reference' },
    { name: frameWords.guides, href: '/guides', current: current === 'guides' },
  ]
}
