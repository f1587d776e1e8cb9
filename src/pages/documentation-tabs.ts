import { tabs } from './components/tabs.ts'
import type { Html } from './html.ts'
import { frameWords as words } from './words/frame.ts'

const pages = [
  { name: words.reference, href: '/reference' },
  { name: words.guides, href: '/guides' },
  { name: words.packages, href: '/packages' },
] as const

/** Renders the tabs of the public documentation: API reference, guides and packages. */
export function documentationTabs(current: (typeof pages)[number]['href']): Html {
  return tabs({ label: words.documentation, pages: pages.map((one) => ({ ...one, current: one.href === current })) })
}
