import { type Html, html } from '../html.ts'

/** SVG stroke paths on a 20 × 20 grid. */
export const drawings = {
  check: 'M4 10.500l4 4 8-9',
  cross: 'M5 5l10 10M15 5L5 15',
  warning: 'M10 3L2 17h16zM10 8v4M10 14.250v.250',
  info: 'M10 2.500a7.500 7.500 0 1 0 0 15a7.500 7.500 0 1 0 0-15zM10 9v5M10 6v.250',
  dash: 'M5 10h10',
  key: 'M7 9.500a3.500 3.500 0 1 0 0 .100M10.500 9.500H18M15 9.500V13M12.500 9.500v2.500',
} as const
export type IconName = keyof typeof drawings

/** Renders an icon. Screen readers skip it, because it only repeats the adjacent words. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${drawings[name]}"/></svg>`
}
