import type { Text } from './html.ts'
import { frameWords } from './words/frame.ts'

/** Where a page belongs, as its header says. */
export const identityPlace = { name: 'Gatehouse', href: '/account' }
export const portalPlace = { name: frameWords.portal, href: '/' }

/** Where somebody signed in can go on the identity surface. */
export function identityPlaces(current: 'account' | 'bots'): { name: Text; href: string; current: boolean }[] {
  return [
    { name: frameWords.account, href: '/account', current: current === 'account' },
    { name: frameWords.bots, href: '/bots', current: current === 'bots' },
  ]
}
