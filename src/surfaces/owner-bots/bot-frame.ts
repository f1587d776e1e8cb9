import type { AccessibleBot } from '../../domain/bots/bot-access.ts'
import { type BotAction, mayDo } from '../../domain/bots/bot-rights.ts'
import { notice, tag } from '../../pages/components/notice.ts'
import { tabs } from '../../pages/components/tabs.ts'
import { type Html, html, type Text } from '../../pages/html.ts'
import { type PageFrame, type Person, page } from '../../pages/page.ts'
import { identityPlace, identityPlaces } from '../../pages/places.ts'
import { botFrameWords, roleWords } from './words.ts'

const words = botFrameWords

/** The data that every page about a bot needs: the bot, the user and the user's role. */
export interface BotPageView extends AccessibleBot {
  person: Person
  nowMs: number
}

export type BotPart = 'bot' | 'flows' | 'deliveries' | 'logs' | 'runtimes' | 'coworkers' | 'settings'

const parts: { part: BotPart; path: string; for?: BotAction }[] = [
  { part: 'bot', path: '' },
  { part: 'flows', path: '/flows' },
  { part: 'deliveries', path: '/deliveries' },
  { part: 'logs', path: '/logs' },
  { part: 'runtimes', path: '/runtimes', for: 'change-runtimes' },
  { part: 'coworkers', path: '/coworkers' },
  { part: 'settings', path: '/settings' },
]

/** Returns the page options shared by all pages about bots. */
export function botsFrame(person: Person | undefined): Pick<PageFrame, 'place' | 'places' | 'person' | 'width'> {
  return { place: identityPlace, ...(person && { places: identityPlaces('bots') }), person, width: 'wide' }
}

/** Renders one tab of a bot's pages: the bot's name, the tabs and the body. */
export function botPartPage(
  { person, bot, role, capabilities }: BotPageView,
  content: {
    part: BotPart
    /** Defaults to the tab's name. */
    title?: Text
    /** Notice about the last change. */
    done?: Html | false
    body: Html
  } & Pick<PageFrame, 'styles' | 'modules' | 'canonical' | 'shownOnce'>,
): Html {
  const { part, done, body, title, ...frame } = content
  const shownParts = parts.filter(({ for: action }) => action === undefined || mayDo({ role, capabilities }, action))
  const readsOnly = !mayDo({ role, capabilities }, 'switch-hosting')
  return page({
    ...botsFrame(person),
    ...frame,
    title: words.title(title ?? words.parts[part], bot.name),
    body: html`<a class="back" href="/bots">${words.yourBots}</a>
<div class="title"><div><h1>${bot.name}</h1>${role !== 'owner' && html`<div>${tag(words.youAre(roleWords[role].asWhat))}</div>`}</div></div>
${tabs({
  label: words.partsOfBot,
  pages: shownParts.map((one) => ({
    name: words.parts[one.part],
    href: `/bots/${bot.id}${one.path}`,
    current: one.part === part,
  })),
})}
${done}
${readsOnly && part === 'bot' && notice({ tone: 'neutral', body: words.readsOnly })}
${body}`,
  })
}
