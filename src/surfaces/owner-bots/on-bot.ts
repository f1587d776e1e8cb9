import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessibleBot, Actor, BotAction } from '../../domain/bots/bot-access.ts'
import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import { parseBotId } from '../../domain/ids.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { Flash } from '../../pages/flash.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard, ReturnOptions, SignedInRequest } from '../../pages/page-guard.ts'
import { missingPartPage } from './refusal-pages.ts'

export interface BotPageServices {
  guard: PageGuard
  bots: Bots
  flash: Flash
  clock: Clock
}

/** A request for a page about a bot that the user is allowed to see. */
export interface BotVisit extends SignedInRequest, AccessibleBot {
  /** The signed-in user, as the actor in the audit log. */
  by: Actor
  nowMs: number
}

/** The action that a form needs, and how to get back to the form after the user has signed in again. */
interface BotForm extends ReturnOptions {
  action: BotAction
}

/**
 * Returns a handler that checks the user's permission for the bot in the URL.
 *
 * @param needed the action that the user must be allowed to do.
 * @throws BotRefusal `bot-unknown`, `not-allowed`
 */
export function onBot(
  { guard, bots, clock }: BotPageServices,
  needed: BotAction | BotForm,
  work: (visit: BotVisit) => Promise<FastifyReply>,
) {
  const { action, ...back } = typeof needed === 'string' ? { action: needed } : needed
  return guard.signedIn(async (visit) => {
    const { botId } = visit.request.params as { botId: string }
    const id = parseBotId(botId)
    if (id === undefined) throw new BotRefusal('bot-unknown')
    const by = byOf(visit)
    return work({ ...visit, ...(await bots.access.demand(by.userId, id, action)), by, nowMs: clock.nowMs() })
  }, back)
}

export function byOf({ session, request }: SignedInRequest): Actor {
  return { userId: session.userId, origin: browserInfo(request) }
}

/** Returns a variant of `onBot` that also passes the result of `find`. Sends a 404 page if that is `undefined`. */
export function onFound<Services extends BotPageServices, Found>(
  find: (services: Services, visit: BotVisit) => Promise<Found | undefined>,
) {
  return (
    services: Services,
    needed: BotAction | BotForm,
    work: (visit: BotVisit, found: Found) => Promise<FastifyReply>,
  ) =>
    onBot(services, needed, async (visit) => {
      const found = await find(services, visit)
      return found === undefined ? sendNotFound(visit) : work(visit, found)
    })
}

/** Returns a function that replaces `:botId` and the pattern's other parameters with the values in a request's URL. */
export function pageAt(pattern: string) {
  return ({ params }: FastifyRequest): string =>
    pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent((params as Record<string, string>)[name] ?? ''))
}

/** Sends the 404 page for a flow, key, event or other part of a bot that doesn't exist. */
export function sendNotFound({ bot, person, reply }: BotVisit): FastifyReply {
  return sendPage(reply, missingPartPage(person, bot), { status: 404 })
}

/** Returns the value chosen in a filter: `undefined` if none is chosen, `unknown` if it isn't one of the choices. */
export function chosenFilter<Choice extends string>(
  choices: readonly Choice[],
  named: unknown,
): Choice | 'unknown' | undefined {
  if (named === undefined || named === '') return undefined
  return choices.find((choice) => choice === named) ?? 'unknown'
}
