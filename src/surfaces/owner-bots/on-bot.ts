import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessibleBot, BotAction } from '../../domain/bots/bot-access.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import { BotRefusal } from '../../domain/bots/record-rules.ts'
import type { Clock } from '../../domain/clock.ts'
import { parseBotId } from '../../domain/ids.ts'
import { EventRefusal } from '../../domain/webhooks/event-changes.ts'
import { linkButton } from '../../pages/components/button.ts'
import { errorPage } from '../../pages/error-page.ts'
import type { Admit } from '../../pages/form-routes.ts'
import { t } from '../../pages/html.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard, ReturnOptions, SignedInRequest } from '../../pages/page-guard.ts'
import { botsFrame, botTrail } from './bot-frame.ts'

export interface BotPageServices {
  guard: PageGuard
  bots: Bots
  clock: Clock
}

/** A request for a page about a bot that the user is allowed to see. */
export interface BotVisit extends SignedInRequest, AccessibleBot {
  nowMs: number
}

/** The action that a form needs, and how to get back to the form after the user has signed in again. */
interface BotForm extends ReturnOptions {
  action: BotAction
}

/**
 * Admits users who are allowed to do this action with the bot in the URL. Sends the 404 page for an event that doesn't
 * exist.
 *
 * @throws BotRefusal `bot-unknown`, `not-allowed`
 */
export function onBot({ guard, bots, clock }: BotPageServices, needed: BotAction | BotForm): Admit<BotVisit> {
  const { action, ...back } = typeof needed === 'string' ? { action: needed } : needed
  return (work) =>
    guard.signedIn(async (visit) => {
      const id = parseBotId((visit.request.params as { botId: string }).botId)
      if (id === undefined) throw new BotRefusal('bot-unknown')
      const access = await bots.access.demand(visit.by.userId, id, action)
      const onBot = { ...visit, ...access, nowMs: clock.nowMs() }
      try {
        return await work(onBot)
      } catch (error) {
        if (error instanceof EventRefusal && error.reason === 'event-unknown') return sendNotFound(onBot)
        throw error
      }
    }, back)
}

/** Returns what admits users to a part of a bot, which it adds to the visit. Sends a 404 page if `find` finds none. */
export function onFound<Services extends BotPageServices, Found extends object>(
  find: (services: Services, visit: BotVisit) => Promise<Found | undefined>,
) {
  return (services: Services, needed: BotAction | BotForm): Admit<BotVisit & Found> => {
    const admit = onBot(services, needed)
    return (work) =>
      admit(async (visit) => {
        const found = await find(services, visit)
        return found === undefined ? sendNotFound(visit) : work({ ...visit, ...found })
      })
  }
}

/** Returns a function that replaces `:botId` and the pattern's other parameters with the values in a request's URL. */
export function pageAt(pattern: string) {
  return ({ params }: FastifyRequest): string =>
    pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent((params as Record<string, string>)[name] ?? ''))
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

/**
 * Sends 403 to users who only lack the permission, and 404 to users who aren't allowed to see the bot, as if it didn't
 * exist.
 */
export async function sendRefusal({ guard }: BotPageServices, error: BotRefusal, reply: FastifyReply) {
  const { reason, detail } = error
  if (reason !== 'bot-unknown' && reason !== 'not-allowed') throw error
  const { request } = reply
  const frame = { ...botsFrame(await guard.person(reply)), trail: [] }
  request.log.info({ reason, detail }, 'bot page refused')
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
