import { type AccessibleBot, mayDo } from '../../domain/bots/bot-access.ts'
import { endingHere, type LinkedCrumb, objectHead } from '../../pages/components/navigation.ts'
import { notice, tag } from '../../pages/components/notice.ts'
import { avatar } from '../../pages/components/pictures.ts'
import type { QuestionFrame } from '../../pages/form-routes.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'
import { type PageFrame, type Person, page } from '../../pages/page.ts'
import { type BotPart, botParts, botsPlace } from '../../pages/places.ts'
import { roleWords } from '../../pages/words/bots.ts'

/** The data that every page about a bot needs: the bot, the user and the user's role. */
export interface BotPageView extends AccessibleBot {
  person: Person
  nowMs: number
  done?: Html | undefined
}

export function botsFrame(person: Person | undefined): Pick<PageFrame, 'place' | 'person' | 'width'> {
  return { place: botsPlace, person, width: 'dense' }
}

/**
 * Returns the breadcrumbs of the pages about a part of a bot. For its overview, they end at the bot.
 *
 * @param href the part's URL with its filters. Default: without filters.
 */
export function botTrail({ id, name }: { id: string; name: string }, part: BotPart, href?: string): LinkedCrumb[] {
  const bot = { name, href: `/bots/${id}` }
  const { name: partName, path } = botParts[part]
  return path === '' ? [bot] : [bot, { name: partName, href: href ?? `${bot.href}${path}` }]
}

/**
 * Renders a tab of a bot's pages, or a page below a tab. The heading is the bot's name or, below a tab, the name of the
 * item shown.
 */
export function botPartPage(
  { person, bot, role, capabilities, done }: BotPageView,
  content: {
    part: BotPart
    /** The page's title. Defaults to the tab's name. */
    title?: Text
    /**
     * Set on a page below the tab: the name of the object that the page shows, the pages between the tab and the
     * object, the tab's URL with its filters, and what stands beside the heading.
     */
    inside?: { name: Text; above?: readonly LinkedCrumb[]; list?: string; head?: Html }
    body: Html
  } & Pick<PageFrame, 'styles' | 'modules' | 'canonical' | 'shownOnce' | 'beside'>,
): Html {
  const { part, body, inside, title, ...frame } = content
  const shownParts = Object.entries(botParts).filter(
    ([, { for: action }]) => action === undefined || mayDo({ role, capabilities }, action),
  )
  const crumbs = botTrail(bot, part, inside?.list)
  const readsOnly = !mayDo({ role, capabilities }, 'switch-hosting')
  return page({
    ...botsFrame(person),
    ...frame,
    title: t`${title ?? inside?.name ?? botParts[part].name}: ${bot.name}`,
    trail: inside === undefined ? endingHere(crumbs) : [...crumbs, ...(inside.above ?? []), { name: inside.name }],
    body: html`${objectHead({
      name: bot.name,
      picture: avatar({ name: bot.name, picture: bot.avatar, small: true }),
      tags: role !== 'owner' && tag(t`You are ${roleWords[role].asWhat}`),
      label: t`Sections of this bot`,
      pages: shownParts.map(([each, { name, path }]) => ({
        name,
        href: `/bots/${bot.id}${path}`,
        current: each === part,
      })),
      inside: inside !== undefined,
    })}
${inside !== undefined && (inside.head === undefined ? html`<h1>${inside.name}</h1>` : html`<div class="heading spread"><h1>${inside.name}</h1>${inside.head}</div>`)}
${done}
${readsOnly && part === 'bot' && notice({ tone: 'neutral', body: t`You can view everything here. The bot’s owner decides what you can change.` })}
${body}`,
  })
}

export function questionIn(trail: readonly LinkedCrumb[]): QuestionFrame {
  return { place: botsPlace, width: 'narrow', trail }
}
