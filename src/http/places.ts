/** Where a page belongs, as its header says. */
export const identityPlace = { name: 'Gatehouse', href: '/account' }
