import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccessibleBot, BotAction } from '../../domain/bots/bot-access.ts'
import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import { parseBotId } from '../../domain/ids.ts'
import type { Admit } from '../../pages/form-routes.ts'
import type { PageGuard, ReturnOptions, SignedInRequest } from '../../pages/page-guard.ts'
import { missingPartPage } from './refusal-pages.ts'

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

type BotWork<Visit> = (visit: Visit) => Promise<FastifyReply>

/**
 * Returns a handler that checks the user's permission for the bot in the URL or, without `work`, what makes such
 * handlers.
 *
 * @param needed the action that the user must be allowed to do.
 * @throws BotRefusal `bot-unknown`, `not-allowed`
 */
export function onBot(services: BotPageServices, needed: BotAction | BotForm): Admit<BotVisit>
export function onBot(
  services: BotPageServices,
  needed: BotAction | BotForm,
  work: BotWork<BotVisit>,
): ReturnType<Admit<BotVisit>>
export function onBot(services: BotPageServices, needed: BotAction | BotForm, work?: BotWork<BotVisit>) {
  const { guard, bots, clock } = services
  const { action, ...back } = typeof needed === 'string' ? { action: needed } : needed
  const admit = (given: BotWork<BotVisit>) =>
    guard.signedIn(async (visit) => {
      const { botId } = visit.request.params as { botId: string }
      const id = parseBotId(botId)
      if (id === undefined) throw new BotRefusal('bot-unknown')
      return given({ ...visit, ...(await bots.access.demand(visit.by.userId, id, action)), nowMs: clock.nowMs() })
    }, back)
  return work === undefined ? admit : admit(work)
}

/** Returns what admits users to a part of a bot, which it adds to the visit. Sends a 404 page if `find` finds none. */
export function onFound<Services extends BotPageServices, Found extends object>(
  find: (services: Services, visit: BotVisit) => Promise<Found | undefined>,
) {
  return (services: Services, needed: BotAction | BotForm): Admit<BotVisit & Found> =>
    (work) =>
      onBot(services, needed, async (visit) => {
        const found = await find(services, visit)
        return found === undefined ? sendNotFound(visit) : work({ ...visit, ...found })
      })
}

/** Returns a function that replaces `:botId` and the pattern's other parameters with the values in a request's URL. */
export function pageAt(pattern: string) {
  return ({ params }: FastifyRequest): string =>
    pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent((params as Record<string, string>)[name] ?? ''))
}

/** Sends the 404 page for a flow, key, event or other part of a bot that doesn't exist. */
export function sendNotFound({ bot, person, send }: BotVisit): FastifyReply {
  return send(missingPartPage(person, bot), 404)
}

/** Returns the value chosen in a filter: `undefined` if none is chosen, `unknown` if it isn't one of the choices. */
export function chosenFilter<Choice extends string>(
  choices: readonly Choice[],
  named: unknown,
): Choice | 'unknown' | undefined {
  if (named === undefined || named === '') return undefined
  return choices.find((choice) => choice === named) ?? 'unknown'
}
