import type { standardScopes } from '../../domain/authorization/scope.ts'
import { type Html, html, t } from '../html.ts'

/** Paths of the icons on a 20 × 20 grid, drawn as strokes. */
export const drawings = {
  check: 'M4 10.500l4 4 8-9',
  cross: 'M5 5l10 10M15 5L5 15',
  warning: 'M10 3L2 17h16zM10 8v4M10 14.250v.250',
  info: 'M10 2.500a7.500 7.500 0 1 0 0 15a7.500 7.500 0 1 0 0-15zM10 9v5M10 6v.250',
  dash: 'M5 10h10',
  circle: 'M10 4a6 6 0 1 0 0 12a6 6 0 1 0 0-12z',
  person: 'M10 3a3.500 3.500 0 1 0 0 7a3.500 3.500 0 1 0 0-7zM3.500 17a6.500 5 0 0 1 13 0',
  people:
    'M7.500 4a3 3 0 1 0 0 6a3 3 0 1 0 0-6zM2 16.500a5.500 4.500 0 0 1 11 0M13 4.500a3 3 0 0 1 0 5M15 12.500a5 4 0 0 1 3 4',
  mail: 'M2.500 5h15v10.500h-15zM3 5.500l7 6l7-6',
  link: 'M8.500 11.500l3-3M9 6.500l2-2a3.200 3.200 0 0 1 4.500 4.500l-2 2M11 13.500l-2 2a3.200 3.200 0 0 1-4.500-4.500l2-2',
  clock: 'M10 2.500a7.500 7.500 0 1 0 0 15a7.500 7.500 0 1 0 0-15zM10 6v4.500l3 1.500',
  bot: 'M4 8h12v8.500H4zM10 8V4M10 3.500v.250M7.500 12v.500M12.500 12v.500M1.500 11.500v2M18.500 11.500v2',
  flow: 'M5 3.500a1.500 1.500 0 1 0 0 3a1.500 1.500 0 1 0 0-3zM15 13.500a1.500 1.500 0 1 0 0 3a1.500 1.500 0 1 0 0-3zM5 6.500V12a3 3 0 0 0 3 3h5.500M6.500 5H12a3 3 0 0 1 3 3v5.500',
  servers: 'M3 4h14v5H3zM3 11h14v5H3zM6 6.500v.250M6 13.500v.250',
  lines: 'M4 5h12M4 8.500h12M4 12h8M4 15.500h10',
  search: 'M8.500 3a5.500 5.500 0 1 0 0 11a5.500 5.500 0 1 0 0-11zM12.500 12.500L17.500 17.500',
  window: 'M2.500 4h15v12h-15zM2.500 8h15',
  page: 'M4.500 2.500h7.500l3.500 3.500v11.500h-11zM12 2.500V6h3.500',
  book: 'M4 3h9.500a2.500 2.500 0 0 1 2.500 2.500v11.500H6.500a2.500 2.500 0 0 1-2.500-2.500z',
  arrow: 'M4 10h12M11 5l5 5l-5 5',
  lock: 'M5 9h10v8H5zM7 9V6.500a3 3 0 0 1 6 0V9',
  key: 'M7 9.500a3.500 3.500 0 1 0 0 .100M10.500 9.500H18M15 9.500V13M12.500 9.500v2.500',
} as const
export type IconName = keyof typeof drawings

/** Renders an icon. Screen readers skip it, because it only repeats the adjacent words. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${drawings[name]}"/></svg>`
}

const icons: Record<(typeof standardScopes)[number], IconName> = {
  'user.identify': 'person',
  'user.email': 'mail',
  'user.connections.read': 'link',
  offline_access: 'clock',
  'bots.read': 'bot',
  'flows.read': 'flow',
  'guilds.read': 'servers',
  'logs.read': 'lines',
  'cowork.read': 'people',
}

/** Renders the icon of a scope. All scopes that the operator declared have the same icon. */
export function scopeIcon(name: string): Html {
  return icon(Object.hasOwn(icons, name) ? icons[name as keyof typeof icons] : 'check')
}

/** Renders the lock that marks a scope as requiring the session PIN. */
export function pinLock(): Html {
  return html`<span class="lock" title="${t`Users enter their PIN before they can allow this`}">${icon('lock')}PIN<span class="hidden-visually"> ${t`required`}</span></span>`
}

/**
 * Renders a picture over the name's initials, which stay visible if it doesn't load. Ignores pictures without https,
 * which browsers warn about. The request has no referrer, so that the picture's host doesn't learn the page's URL.
 */
export function avatar(of: { name: string; picture?: string | null; small?: boolean }): Html {
  const { name, picture = null, small = false } = of
  const shown = picture !== null && /^https:/i.test(picture)
  const side = small ? 40 : 64
  return html`<span class="avatar${small && ' small'}"><span aria-hidden="true">${initials(name)}</span>${shown && html`<img src="${picture}" alt="" width="${side}" height="${side}" referrerpolicy="no-referrer" decoding="async">`}</span>`
}

/** Returns the initials of the first two words. Each initial is a whole grapheme cluster. */
function initials(name: string): string {
  const letters = name.split(/\s+/u).flatMap((word) => {
    const [first] = new Intl.Segmenter().segment(word.replace(/^[\p{P}\p{S}]+(?=[\p{L}\p{N}])/u, ''))
    return first === undefined ? [] : [first.segment]
  })
  return letters.slice(0, 2).join('').toUpperCase()
}
