import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../../domain/accounts/accounts.ts'
import { type AccessibleBot, type BotAction, mayDo } from '../../domain/bots/bot-access.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import { BotRefusal } from '../../domain/bots/record-rules.ts'
import type { Build } from '../../domain/build.ts'
import type { Clock } from '../../domain/clock.ts'
import { parseBotId } from '../../domain/ids-and-secrets.ts'
import type { EventAccess } from '../../domain/webhooks/event-access.ts'
import { EventRefusal } from '../../domain/webhooks/event-changes.ts'
import type { RefusalLog } from '../../domain/webhooks/refusal-log.ts'
import type { Webhooks } from '../../domain/webhooks/webhooks.ts'
import type { Refusals } from '../../http/request-metrics.ts'
import { endingHere, type LinkedCrumb, linkButton, notice, objectHead, tag } from '../../pages/components/elements.ts'
import { avatar } from '../../pages/components/pictures.ts'
import { errorPage, noteRefusal } from '../../pages/error-page.ts'
import type { Admit, QuestionFrame } from '../../pages/form-routes.ts'
import { type Html, html, type Text, t } from '../../pages/html.ts'
import { type PageFrame, type Person, page, sendPage } from '../../pages/page.ts'
import type { PageGuard, ReturnOptions, SignedInRequest } from '../../pages/page-guard.ts'
import { type BotPart, botParts, botsPlace } from '../../pages/places.ts'
import { roleWords } from '../../pages/words/bots.ts'

export interface BotPageServices {
  guard: PageGuard
  accounts: Accounts
  bots: Bots
  webhooks: Webhooks
  eventAccess: EventAccess
  refusalLog: RefusalLog
  refusals: Refusals
  clock: Clock
  build: Build
  baseUrl: string
  apiUrl: string
  portalUrl: string
}

export interface BotVisit extends SignedInRequest, AccessibleBot {
  services: BotPageServices
  nowMs: number
}

/** Admits users who may do this with the bot, or throws BotRefusal. Sends 404 for an event that doesn't exist. */
export function onBot(
  services: BotPageServices,
  needed: BotAction | (ReturnOptions & { action: BotAction }),
): Admit<BotVisit> {
  const { guard, bots, clock } = services
  const { action, ...back } = typeof needed === 'string' ? { action: needed } : needed
  return (work) =>
    guard.signedIn(async (visit) => {
      const id = parseBotId((visit.request.params as { botId: string }).botId)
      if (id === undefined) throw new BotRefusal('bot-unknown')
      const access = await bots.access.demand(visit.by.userId, id, action)
      const onBot = { ...visit, ...access, services, nowMs: clock.nowMs() }
      try {
        return await work(onBot)
      } catch (error) {
        if (error instanceof EventRefusal && error.reason === 'event-unknown') return sendNotFound(onBot)
        throw error
      }
    }, back)
}

/** Returns what admits users to a part of a bot, which it adds to the visit. Sends a 404 page if `find` finds none. */
export function onFound<Found extends object>(find: (visit: BotVisit) => Promise<Found | undefined>) {
  return (...needed: Parameters<typeof onBot>): Admit<BotVisit & Found> => {
    const admit = onBot(...needed)
    return (work) =>
      admit(async (visit) => {
        const found = await find(visit)
        return found === undefined ? sendNotFound(visit) : work({ ...visit, ...found })
      })
  }
}

/** Returns a function that replaces `:botId` and the pattern's other parameters with the values in a request's URL. */
export function pageAt(pattern: string) {
  return ({ params }: FastifyRequest): string =>
    pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent((params as Record<string, string>)[name] ?? ''))
}

export function botsFrame(person: Person | undefined): Pick<PageFrame, 'place' | 'person' | 'width'> {
  return { place: botsPlace, person, width: 'dense' }
}

/** Returns the breadcrumbs of a part's pages. `href` is the part's URL with its filters. */
export function botTrail({ id, name }: { id: string; name: string }, part: BotPart, href?: string): LinkedCrumb[] {
  const bot = { name, href: `/bots/${id}` }
  const { name: partName, path } = botParts[part]
  return path === '' ? [bot] : [bot, { name: partName, href: href ?? `${bot.href}${path}` }]
}

/** Renders a tab of a bot's pages or, with the item's name as its heading, a page below a tab. */
export function botPartPage(
  visit: BotVisit,
  content: {
    part: BotPart
    title?: Text
    /**
     * Set on a page below the tab: the name of the object that the page shows, the pages between the tab and the
     * object, the tab's URL with its filters, and what stands beside the heading.
     */
    inside?: { name: Text; above?: readonly LinkedCrumb[]; list?: string; head?: Html }
    body: Html
  } & Pick<PageFrame, 'styles' | 'modules' | 'canonical' | 'shownOnce' | 'beside'>,
): Html {
  const { person, bot, role, done } = visit
  const { part, body, inside, title, ...frame } = content
  const shownParts = Object.entries(botParts).filter(
    ([, { for: action }]) => action === undefined || mayDo(visit, action),
  )
  const crumbs = botTrail(bot, part, inside?.list)
  const readsOnly = !mayDo(visit, 'switch-hosting')
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

export const toBots = linkButton({ label: t`Go to your bots`, href: '/bots', tone: 'plain' })
const toBot = (id: string) => linkButton({ label: t`Go to the bot`, href: `/bots/${id}`, tone: 'plain' })

/** Sends the 404 page for a flow, key, event or other part of a bot that doesn't exist. */
export function sendNotFound({ bot, person, send }: BotVisit): FastifyReply {
  const error = {
    what: t`${bot.name} has no page at this URL`,
    why: t`It was removed or is no longer kept, or the URL is mistyped. Nothing was changed.`,
    whatToDo: t`Look for it on the bot’s pages.`,
    ways: [toBot(bot.id), toBots],
  }
  return send(errorPage(error, { ...botsFrame(person), trail: botTrail(bot, 'bot') }), 404)
}

/** Sends 403 to users who only lack the permission, 404 to those who may not know that the bot exists. */
export async function sendRefusal({ guard, refusals }: BotPageServices, error: BotRefusal, reply: FastifyReply) {
  const { reason, detail } = error
  if (reason !== 'bot-unknown' && reason !== 'not-allowed') throw error
  const { request } = reply
  const frame = { ...botsFrame(await guard.person(reply)), trail: [] }
  noteRefusal(refusals, request, reason, { detail })
  if (reason === 'bot-unknown') {
    const unknown = {
      what: t`Bot not found`,
      why: t`The URL may be mistyped, the bot may have been deleted, or your access may have been removed.`,
      whatToDo: t`Look for the bot in your list of bots. If it isn’t yours, ask its owner to add you as a collaborator.`,
      ways: [toBots],
    }
    return sendPage(reply, errorPage(unknown, frame), { status: 404 })
  }
  const notAllowed = {
    what: t`You don’t have permission for this`,
    why: t`You are a collaborator on this bot, but your role doesn’t allow this. Nothing was changed.`,
    whatToDo: t`Ask the owner to do it, or to change your permissions under Collaborators.`,
    ways: [toBot((request.params as { botId: string }).botId), toBots],
  }
  return sendPage(reply, errorPage(notAllowed, frame), { status: 403 })
}
