/** Where a page belongs, as its header says. */
export const identityPlace = { name: 'Gatehouse', href: '/account' }
export const portalPlace = { name: 'Developer portal', href: '/' }
