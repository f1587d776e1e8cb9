/** Where a page belongs, as its header says. */
export const identityPlace = { name: 'Gatehouse', href: '/account' }
export const portalPlace = { name: 'Developer portal', href: '/' }

/** Where somebody signed in can go on the identity surface. */
export function identityPlaces(current: 'account' | 'bots'): { name: string; href: string; current: boolean }[] {
  return [
    { name: 'Account', href: '/account', current: current === 'account' },
    { name: 'Bots', href: '/bots', current: current === 'bots' },
  ]
}
